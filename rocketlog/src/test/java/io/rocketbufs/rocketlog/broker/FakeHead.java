package io.rocketbufs.rocketlog.broker;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** A fake head of a log in which every batch contains one record. A copied batch starts with its number. */
final class FakeHead implements WrittenBatches.Log {
    /** The appended batches: the lengths of written batches, and the negated numbers of copied batches. */
    private final List<Long> appended = new ArrayList<>();

    /** Length of the longest batch. */
    private static final int LONGEST = 500;

    private final long length;
    private long end;
    /** The result of checking a batch. */
    long checked = WrittenBatches.ACCEPTED;

    boolean isCheckBroken;
    /** Supplies the result with which copied batches are refused; null if they are appended. */
    LongSupplier refusal;

    FakeHead(long length) {
        this.length = length;
    }

    /** Returns a batch that can be copied into the head. */
    static ByteBuffer batch(long number, int length) {
        return ByteBuffer.allocate(length).putLong(0, number);
    }

    List<Long> appended() {
        return appended;
    }

    @Override
    public long commit(int written, long producerId) {
        return add(written, written);
    }

    @Override
    public long check(ByteBuffer batch) {
        if (isCheckBroken) {
            throw new IllegalStateException("in this test");
        }
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

    @Override
    public long end() {
        return end;
    }

    @Override
    public boolean hasRoom() {
        return end + LONGEST <= length;
    }
}
