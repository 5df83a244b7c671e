package io.rocketbufs.rocketlog.broker;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The head of a log in which every batch has one record. A batch that is copied begins with its number. */
final class FakeHead implements WrittenBatches.Log {
    /** What has been appended: the lengths of written batches, and the negated numbers of copied ones. */
    private final List<Long> appended = new ArrayList<>();

    private final long length;
    private long end;
    /** The result of the check of a batch. */
    long checked = WrittenBatches.ACCEPTED;
    /** Refuses every batch that is copied; null if they are appended. */
    LongSupplier refusal;

    FakeHead(long length) {
        this.length = length;
    }

    /** Returns a batch that can be copied. */
    static ByteBuffer batch(long number, int length) {
        return ByteBuffer.allocate(length).putLong(0, number);
    }

    List<Long> appended() {
        return appended;
    }

    @Override
    public long commit(int written) {
        return add(written, written);
    }

    @Override
    public long check(ByteBuffer batch) {
        return checked;
    }

    @Override
    public long append(ByteBuffer batch) {
        return refusal == null ? add(-batch.getLong(0), batch.remaining()) : refusal.getAsLong();
    }

    private long add(long what, int batchLength) {
        end += batchLength;
        appended.add(what);
        return appended.size() - 1;
    }

    @Override
    public int count() {
        return appended.size();
    }

    @Override
    public long nextOffset() {
        return appended.size();
    }

    @Override
    public long length() {
        return length;
    }

    /** Returns the position after the last batch. */
    long end() {
        return end;
    }
}
