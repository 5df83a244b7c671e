package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongConsumer;

/** A word on which this machine's processor executes all operations, including the peers' operations. */
final class ProcessorWord implements AtomicWord {
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer bytes;

    ProcessorWord(Region region, long offset) {
        if (!region.writable() || offset % Long.BYTES != 0) {
            throw new IllegalArgumentException(
                    "no atomic word can begin here: offset=" + offset + ", region writable=" + region.writable());
        }
        bytes = region.window(offset, Long.BYTES);
    }

    @Override
    public long value() {
        return (long) LONG.getAcquire(bytes, 0);
    }

    @Override
    public void fetchAdd(long addend, LongConsumer before) {
        before.accept((long) LONG.getAndAdd(bytes, 0, addend));
    }

    @Override
    public void compareSwap(long expected, long desired, LongConsumer before) {
        before.accept((long) LONG.compareAndExchange(bytes, 0, expected, desired));
    }
}
