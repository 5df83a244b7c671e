package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiCompletionError;
import io.rocketbufs.rocketnet.rdma.ofi.OfiCompletions;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A completion queue: of one connection where the provider's completions do not tell whose they are, of many otherwise.
 *
 * <p>It holds all that its connections may have outstanding, so it cannot overrun, which some providers would not even
 * notice. Who does not fit is refused.
 *
 * <p><b>Thread-safety:</b> the monitor's thread.
 */
final class RdmaQueue extends RdmaMonitor.EventQueue {
    /** Completions that are read at once. */
    static final int BATCH = 64;

    private final RdmaNic nic;
    private final long cq;
    private final int descriptor;
    private final long size;
    private final OfiFunction read;
    private final OfiFunction trywait;
    private final NativeBlock self = new NativeBlock(Long.BYTES);
    private final OfiCompletions completions = new OfiCompletions(BATCH);
    private final OfiCompletionError error = new OfiCompletionError();
    private final Map<Integer, RdmaConnection> connections = new HashMap<>();
    private final List<RdmaConnection> touched = new ArrayList<>();
    /** Whose queue it is, where completions do not tell; those that do may be of one that has just gone. */
    private RdmaConnection only;

    private long promised;

    RdmaQueue(RdmaNic nic, long size) {
        this.nic = nic;
        this.size = size;
        Ofi ofi = nic.ofi();
        cq = ofi.cqOpen(nic.domain(), size);
        try {
            descriptor = ofi.waitDescriptor(cq);
            read = ofi.cqRead(cq);
            trywait = nic.fabric().trywait();
        } catch (RuntimeException e) {
            ofi.close(cq);
            throw e;
        }
        self.putLong(0, cq);
    }

    long fid() {
        return cq;
    }

    boolean isEmpty() {
        return connections.isEmpty();
    }

    /** Takes a connection in; false when its completions would not fit. */
    boolean add(RdmaConnection connection, long entries) {
        if (promised + entries > size) {
            return false;
        }
        promised += entries;
        connections.put(connection.number(), connection);
        only = nic.traits().contextWithArrival() ? null : connection;
        return true;
    }

    /** Lets a connection go, whose endpoint is closed. */
    void remove(RdmaConnection connection, long entries) {
        connections.remove(connection.number());
        promised -= entries;
        only = null;
    }

    void close() {
        nic.ofi().close(cq);
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
    boolean mayPoll() {
        if (only != null) {
            return only.sink().hasRoom();
        }
        for (RdmaConnection connection : connections.values()) {
            if (!connection.sink().hasRoom()) {
                return false;
            }
        }
        return true;
    }

    @Override
    boolean poll() {
        int count = read.call(completions.address(), BATCH);
        if (count == -OfiConstants.FI_EAGAIN || count == 0) {
            return false;
        }
        if (count < 0) {
            failed(count);
            return true;
        }
        for (int i = 0; i < count; i++) {
            RdmaConnection connection = connectionOf(completions.context(i));
            if (connection != null) {
                if (!connection.isAnnounced()) {
                    nic.announce(connection);
                }
                touch(connection);
                connection
                        .sink()
                        .completion(
                                connection,
                                completions.context(i),
                                completions.flags(i),
                                completions.length(i),
                                completions.data(i));
            }
        }
        endBatch();
        return true;
    }

    private void touch(RdmaConnection connection) {
        if (connection.touch()) {
            touched.add(connection);
        }
    }

    private void endBatch() {
        for (int i = 0; i < touched.size(); i++) {
            RdmaConnection connection = touched.get(i);
            connection.untouch();
            connection.sink().inOrder(connection.batchEnd());
        }
        touched.clear();
    }

    private RdmaConnection connectionOf(long context) {
        return only != null ? only : connections.get(Contexts.connection(context));
    }

    private void failed(int code) {
        if (code != -OfiConstants.FI_EAVAIL) {
            failAll(-code);
            return;
        }
        if (nic.ofi().cqReadError(cq, error) > 0) {
            RdmaConnection connection = connectionOf(error.context());
            int errno = error.errno();
            if (connection != null) {
                connection.sink().inOrder(() -> connection.operationFailed(errno));
            }
        }
    }

    /** The queue itself does not work any more. */
    private void failAll(int errno) {
        for (RdmaConnection connection : List.copyOf(connections.values())) {
            connection.sink().inOrder(() -> connection.operationFailed(errno));
        }
    }
}
