package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.EventLoop;

/** A thread that handles completions: either the monitor, which reads them from the queues, or a worker. */
abstract class RdmaThread extends EventLoop implements CompletionSink {
    RdmaThread(String name, long spinNs) {
        super(name, spinNs);
    }

    @Override
    protected abstract boolean hasEvents();
}
