// A value that others watch.

export class Signal<T> {
  private readonly watchers = new Set<(value: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }
  set value(next: T) {
    if (next === this.current) return;
    this.current = next;
    for (const watcher of [...this.watchers]) watcher(next);
  }

  /** Calls `watcher` now and after each change. */
  watch(watcher: (value: T) => void): void {
    this.watchers.add(watcher);
    watcher(this.current);
  }
}
