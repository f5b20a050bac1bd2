export { engineCommand, ownCommand } from "./command.ts";
