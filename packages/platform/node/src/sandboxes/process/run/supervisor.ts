/**
 * What stands between the agent and a container's process, so that the agent may die: two small shells, each the leader of a session.
 * The keeper waits for the process and writes its exit code down; the scribe takes what it prints into files of a bounded size.
 * Neither needs the agent again once it runs.
 */

/**
 * It gets the pipe to the scribe as file 8, and as arguments the folder of the run, the file by which it joins its cgroup (or nothing), and
 * the command. It uses only what is built into a shell: the environment is the container's, and what a shell adds to it is taken away
 * again. It holds `life` open until the end, for agents that come later; the process does not have it. Whoever makes the file `pid`
 * owns the run, and an agent that gave the run up makes it first. The exit code is written over what is there, so that a full disk
 * has room for it. What the process left behind in its group goes with the last line.
 */
export const supervisor = `
exec 9<>"$1/life"
who=$$
{ read -r who </proc/$$/stat; } 2>/dev/null
set -C
{ echo "$who" >"$1/pid"; } 2>/dev/null || exit 125
set +C
run=$1 join=$2
shift 2
trap : HUP INT QUIT TERM
umask 022
if [ -n "$join" ]; then { echo 0 >"$join"; } 2>/dev/null; fi
(unset PWD OLDPWD SHLVL; exec "$@") >&8 2>&8 8>&- 9>&-
echo $? 1<>"$run/exit"
kill -KILL 0
`;

/**
 * It works in the folder of the run, with the other end of the pipe as its input and the size of one file as its argument; the folder
 * comes second, for whoever looks at the processes of the machine. `split` writes what it reads at once, and fills each file exactly.
 * When the disk is full it fails; then output is thrown away until there is room, because a process that cannot print must not stop.
 */
export const logger = `
n=1
until split -b "$1" -a 6 - "log.$n."; do
  case $(dd bs=65536 count=64 of=/dev/null 2>&1) in 0+0*) break ;; esac
  n=$((n + 1))
done 2>/dev/null
: >eof
`;

/** All that the scribe may look into. */
export const loggerEnv = { PATH: "/usr/bin:/bin:/usr/local/bin", LC_ALL: "C" };
