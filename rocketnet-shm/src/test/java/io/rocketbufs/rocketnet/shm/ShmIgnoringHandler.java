package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import java.nio.ByteBuffer;

/** A handler that ignores all events, for tests that override the methods for the events that matter to them. */
class ShmIgnoringHandler implements TransportHandler {
    @Override
    public void place(int immediate, int length, Vecs into) {}

    @Override
    public void arrived(int immediate, int length) {}

    @Override
    public void arrivalsEnd() {}

    @Override
    public void control(ByteBuffer message) {}

    @Override
    public void completed(int count) {}

    @Override
    public void writable() {}

    @Override
    public void peerFinished() {}

    @Override
    public void failed(TransportException cause) {}

    @Override
    public void closed() {}
}
