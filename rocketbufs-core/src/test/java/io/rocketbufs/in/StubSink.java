package io.rocketbufs.in;

/** A receiver of the events of input buffers that ignores every event whose method a test does not override. */
public interface StubSink extends InputSink {
    @Override
    default void dataIn(InputBuffer buffer, long position, long length) {}

    @Override
    default void gap(InputBuffer buffer, long position, long lost) {}

    @Override
    default void ended(InputBuffer buffer, String failure) {}
}
