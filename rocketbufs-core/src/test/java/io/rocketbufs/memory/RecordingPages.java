package io.rocketbufs.memory;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/** Pages that delegate every call and record the calls that modify pages. A test can make a call fail. */
record RecordingPages(Pages pages, List<String> calls, AtomicReference<RuntimeException> fault) implements Pages {
    RecordingPages(Pages pages) {
        this(pages, new CopyOnWriteArrayList<>(), new AtomicReference<>());
    }

    /** Returns pages at an address that must not be accessed. */
    static RecordingPages untouchable(long address, long length) {
        return new RecordingPages(new Nowhere(address, length));
    }

    /** Makes the next call that clears pages fail without effect. */
    void failOnce(RuntimeException failure) {
        fault.set(failure);
    }

    private void throwFault() {
        RuntimeException failure = fault.getAndSet(null);
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public long address() {
        return pages.address();
    }

    @Override
    public long length() {
        return pages.length();
    }

    @Override
    public ByteBuffer view(long offset, int length) {
        return pages.view(offset, length);
    }

    @Override
    public void drop(long offset, long length) {
        throwFault();
        pages.drop(offset, length);
        calls.add("drop " + offset + " " + length);
    }

    @Override
    public boolean tryDrop(long offset, long length) {
        boolean dropped = pages.tryDrop(offset, length);
        if (dropped) {
            calls.add("drop " + offset + " " + length);
        }
        return dropped;
    }

    @Override
    public void zero(long offset, long length) {
        throwFault();
        pages.zero(offset, length);
        calls.add("zero " + offset + " " + length);
    }

    @Override
    public void unmap() {
        pages.unmap();
        calls.add("unmap");
    }

    private record Nowhere(long address, long length) implements Pages {
        @Override
        public ByteBuffer view(long offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void drop(long offset, long length) {}

        @Override
        public void zero(long offset, long length) {}

        @Override
        public void unmap() {}
    }
}
