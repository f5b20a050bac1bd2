import { constants, open } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";

const openFile = promisify(open) as (path: string, flags: number) => Promise<number>;

/**
 * Says when a keeper that another agent started is gone. It holds a named pipe open as long as it lives; the end of that pipe is the
 * news, so nobody has to look again and again whether it is still there.
 */
export async function watchLife(pipe: string, onEnd: () => void): Promise<() => void> {
  // The socket owns the file from here on, and closes it.
  const fd = await openFile(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    onEnd();
  };
  socket.on("end", end).on("error", end).resume();
  return () => {
    isOver = true;
    socket.destroy();
  };
}
