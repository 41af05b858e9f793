/**
 * Processor time, in milliseconds: what a busy machine does meanwhile is not ours. Invariant: it runs from the moment
 * this module is loaded, so it must be imported first to time the loading of the others.
 */

let began = process.cpuUsage();

export const stopwatch = {
  start(): void {
    began = process.cpuUsage();
  },
  read(): number {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  },
};
