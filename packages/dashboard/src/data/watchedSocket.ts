/** Who wants to know how it stands with the stream. */
interface Watcher {
  opened(): void;
  /** @param at until when the stream was heard @param wasOpen false: it could not be opened */
  closed(at: Date, wasOpen: boolean): void;
}

/** A WebSocket that tells when the stream opens and ends. Only the newest counts: an older one may end long after it was given up. */
export function watchedSocket(Platform: typeof WebSocket, watcher: Watcher): typeof WebSocket {
  let opens = 0;
  return class extends Platform {
    readonly #number = ++opens;
    /** Undefined until it opens. */
    #heardAt: Date | undefined;
    #isTold = false;

    constructor(url: string | URL) {
      super(url);
      this.addEventListener('open', () => {
        this.#heard();
        if (this.#number === opens) watcher.opened();
      });
      this.addEventListener('message', () => this.#heard());
      this.addEventListener('close', () => this.#ended(new Date()));
    }

    /** It was silent for too long, or too fast: what came after the last frame is not known. */
    override close(): void {
      this.#ended(this.#heardAt ?? new Date());
      super.close();
    }

    #heard(): void {
      this.#heardAt = new Date();
    }

    #ended(at: Date): void {
      if (this.#isTold || this.#number !== opens) return;
      this.#isTold = true;
      watcher.closed(at, this.#heardAt !== undefined);
    }
  };
}
