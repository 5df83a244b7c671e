package io.rocketbufs.rocketnet.rdma;

import java.security.SecureRandom;
import java.util.function.LongSupplier;

/**
 * A source of unpredictable 63-bit remote keys, for providers that let the application choose keys.
 *
 * <p>A key is valid for the whole domain, and therefore for every peer of the NIC. If keys were consecutive numbers, a
 * peer could write to memory granted to another peer.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
final class RdmaKeys implements LongSupplier {
    private final SecureRandom random = new SecureRandom();

    /** Returns a random key, never 0. */
    @Override
    public long getAsLong() {
        long key;
        do {
            key = random.nextLong() & Long.MAX_VALUE;
        } while (key == 0);
        return key;
    }
}
