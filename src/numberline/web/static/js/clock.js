// The clocks of a match: they tick here between two messages of the server.
//
//   const clock = new Clock(onTick);   onTick(player) about five times a second while a clock runs
//   clock.set(data | null)             { left: [ms, …], running: player | 0, … } as it came
//   clock.text(player)                 "4:07", "0:09.3", or "" without a clock
//   clock.low(player)                  whether time is running out

const LOW = 20_000;

export class Clock {
  constructor(onTick) {
    this.onTick = onTick;
    this.data = null;
  }

  set(data) {
    this.data = data;
    this.since = performance.now();
    clearInterval(this.timer);
    if (data?.running) this.timer = setInterval(() => this.onTick(data.running), 200);
  }

  left(player) {
    const left = this.data.left[player - 1];
    return Math.max(0, player === this.data.running ? left - (performance.now() - this.since) : left);
  }

  text(player) {
    if (!this.data) return "";
    const left = this.left(player), seconds = left < LOW ? Math.floor(left / 100) / 10 : Math.floor(left / 1000);
    const rest = seconds % 60;
    return `${Math.floor(seconds / 60)}:${rest < 10 ? "0" : ""}${left < LOW ? rest.toFixed(1) : rest}`;
  }

  low(player) {
    return Boolean(this.data) && this.left(player) < LOW;
  }
}
