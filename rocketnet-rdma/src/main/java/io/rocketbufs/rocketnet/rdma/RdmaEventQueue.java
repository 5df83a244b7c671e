package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiEvent;
import io.rocketbufs.rocketnet.rdma.ofi.OfiFunction;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.util.HashMap;
import java.util.Map;

/**
 * The event queue of a domain. It reports connection requests, established connections, and the ends of connections.
 *
 * <p><b>Thread-safety:</b> belongs to the thread that opens the domain until the monitor starts, and then to the
 * monitor's thread.
 */
final class RdmaEventQueue extends RdmaQueue {
    private static final int IDLE_READINGS = 16;
    private static final int MAX_READINGS = 10_000;

    private final Ofi ofi;
    private final long eq;
    private final int descriptor;
    private final OfiFunction trywait;
    private final NativeBlock self = new NativeBlock(Long.BYTES);
    private final OfiEvent event = new OfiEvent();
    private final Map<Long, Target> targets = new HashMap<>();

    /** The owner of an endpoint, which handles its events. */
    interface Target {
        /** Called when a peer requests a connection. This method must free {@code info}. */
        default void requested(OfiInfo info, byte[] data) {}

        /** Called when the connection is established. */
        default void connected(byte[] data) {}

        /** Called when the connection has ended. */
        default void gone() {}

        /** Called with the (positive) errno when the connection has failed. */
        default void failed(int errno) {}
    }

    RdmaEventQueue(Ofi ofi, RdmaFabric fabric) {
        this.ofi = ofi;
        eq = ofi.eqOpen(fabric.fid());
        try {
            descriptor = ofi.waitDescriptor(eq);
        } catch (RuntimeException e) {
            ofi.close(eq);
            throw e;
        }
        trywait = fabric.trywait();
        self.putLong(0, eq);
    }

    long fid() {
        return eq;
    }

    void add(long fid, Target target) {
        targets.put(fid, target);
    }

    void remove(long fid) {
        targets.remove(fid);
    }

    void close() {
        ofi.close(eq);
    }

    @Override
    int descriptor() {
        return descriptor;
    }

    @Override
    boolean arm() {
        return trywait.call(self.address(), 1) == 0;
    }

    @Override
    boolean poll() {
        int length = ofi.eqRead(eq, event);
        if (length == -OfiConstants.FI_EAVAIL) {
            readError();
            return true;
        }
        if (length < 0) {
            return false;
        }
        Target target = targets.get(event.fid());
        switch (event.type()) {
            case OfiConstants.FI_CONNREQ -> {
                OfiInfo info = event.info().clearObjects();
                if (target == null) {
                    ofi.freeinfo(info);
                } else {
                    target.requested(info, event.data(length));
                }
            }
            case OfiConstants.FI_CONNECTED -> {
                if (target != null) {
                    target.connected(event.data(length));
                }
            }
            case OfiConstants.FI_SHUTDOWN -> {
                if (target != null) {
                    target.gone();
                }
            }
            default -> {
                // Other events are ignored.
            }
        }
        return true;
    }

    /**
     * Reads until several consecutive reads have found no event. The provider makes progress only during reads, and
     * reports a new connection only after several reads.
     */
    void drain() {
        int idle = 0;
        for (int i = 0; idle < IDLE_READINGS && i < MAX_READINGS; i++) {
            idle = poll() ? 0 : idle + 1;
        }
    }

    private void readError() {
        if (ofi.eqReadError(eq, event) > 0) {
            Target target = targets.get(event.errorFid());
            if (target != null) {
                target.failed(event.errno());
            }
        }
    }
}
