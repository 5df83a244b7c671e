package io.rocketbufs;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.AtomicWord;

/** Cells of tests that have no connection. */
public final class AtomicCells {
    private AtomicCells() {}

    /** Returns the access to a word on which the processor carries out all operations. */
    public static AtomicCell ofProcessor(Region region, long offset) {
        return new AtomicCell(AtomicWord.ofProcessor(region, offset));
    }
}
