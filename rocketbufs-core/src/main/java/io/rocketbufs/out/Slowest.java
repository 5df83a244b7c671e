package io.rocketbufs.out;

/**
 * The positions of the slowest of several readers.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Slowest {
    private Slowest() {}

    /** Returns the lowest log position before which a reader uses no memory; {@code least} if that is lower. */
    static long released(Reader[] readers, long least) {
        long lowest = least;
        for (Reader reader : readers) {
            lowest = Math.min(lowest, reader.released());
        }
        return lowest;
    }

    /** Returns true if any reader gives way to the producer instead of making it wait. */
    static boolean anyYields(Reader[] readers) {
        for (Reader reader : readers) { // no stream, because waiting producers call this method
            if (reader.yields()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the lowest log position up to which data is known to be consumed; {@code least} if that is lower.
     * Superseded readers do not count.
     */
    static long consumed(Reader[] readers, long least) {
        long lowest = least;
        for (Reader reader : readers) {
            lowest = reader.isSuperseded() ? lowest : Math.min(lowest, reader.consumed());
        }
        return lowest;
    }
}
