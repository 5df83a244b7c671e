package io.rocketbufs;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.AtomicWord;

/** Atomic cells for tests that have no connection. */
public final class AtomicCells {
    private AtomicCells() {}

    /** Returns the access to a word on which the processor carries out all operations. */
    public static AtomicCell ofProcessor(Region region, long offset) {
        return of(AtomicWord.ofProcessor(region, offset));
    }

    /** Returns the access to a word that a test provides. */
    public static AtomicCell of(AtomicWord word) {
        return new AtomicCell(word);
    }
}
