package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiCompletionError;
import io.rocketbufs.rocketnet.rdma.ofi.OfiCompletions;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiFunction;
import java.util.ArrayList;
import java.util.List;

/**
 * A completion queue: of many connections where completions tell their connection, of one otherwise.
 *
 * <p>It holds all that its connections may have outstanding, so it cannot overrun, which some providers would not even
 * notice. A connection that does not fit is refused.
 *
 * <p><b>Thread-safety:</b> the monitor's thread.
 */
final class RdmaCompletionQueue extends RdmaQueue {
    /** Completions that are read at once. */
    static final int BATCH = 64;

    private final Ofi ofi;
    private final ConnectionNumbers numbers;
    private final boolean shared;
    private final long size;
    private final long cq;
    private final int descriptor;
    private final OfiFunction read;
    private final OfiFunction trywait;
    private final NativeBlock self = new NativeBlock(Long.BYTES);
    private final OfiCompletions completions = new OfiCompletions(BATCH);
    private final OfiCompletionError error = new OfiCompletionError();
    private final List<RdmaMember> members = new ArrayList<>();
    private final List<RdmaMember> batch = new ArrayList<>();
    private long promised;
    private boolean polling;
    private boolean closed;

    /**
     * Opens a queue.
     *
     * @param size completions that it has room for
     * @param numbers the connections that completions may belong to
     * @param shared false where completions do not tell their connection
     */
    RdmaCompletionQueue(Ofi ofi, RdmaFabric fabric, long domain, long size, ConnectionNumbers numbers, boolean shared) {
        this.ofi = ofi;
        this.numbers = numbers;
        this.shared = shared;
        this.size = size;
        cq = ofi.cqOpen(domain, size);
        try {
            descriptor = ofi.waitDescriptor(cq);
            read = ofi.cqRead(cq);
            trywait = fabric.trywait();
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
        return members.isEmpty();
    }

    /** Takes a connection in; false when its completions would not fit. */
    boolean add(RdmaMember member, long entries) {
        if (promised + entries > size || !shared && !members.isEmpty()) {
            return false;
        }
        promised += entries;
        members.add(member);
        return true;
    }

    /** Lets a connection go, whose endpoint is closed. */
    void remove(RdmaMember member, long entries) {
        if (members.remove(member)) {
            promised -= entries;
        }
    }

    void close() {
        closed = true;
        ofi.close(cq);
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
        for (int i = 0; i < members.size(); i++) {
            if (!members.get(i).hasRoom()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Hands on everything that has arrived; false if there may be more, and the caller has to try again. That is so
     * where a worker has no room, and within {@link #poll}: what is read then would overtake what is being handed on.
     */
    boolean drain() {
        boolean any = true;
        while (any && !closed) {
            if (polling || !mayPoll()) {
                return false;
            }
            any = poll();
        }
        return true;
    }

    @Override
    boolean poll() {
        assert !polling : "a queue is not read while its completions are handed on";
        int count = read.call(completions.address(), BATCH);
        if (count == -OfiConstants.FI_EAGAIN || count == 0) {
            return false;
        }
        if (count < 0) {
            failed(count);
            return true;
        }
        polling = true;
        try {
            handOn(count);
        } finally {
            endBatch();
            polling = false;
        }
        return true;
    }

    private void handOn(int count) {
        for (int i = 0; i < count; i++) {
            RdmaMember member = memberOf(completions.context(i));
            if (member != null
                    && member.completion(
                            completions.context(i), completions.flags(i), completions.length(i), completions.data(i))) {
                batch.add(member);
            }
        }
    }

    private void endBatch() {
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).endBatch();
        }
        batch.clear();
    }

    /** A completion that tells its connection may be of one that has just gone. */
    private RdmaMember memberOf(long context) {
        if (shared) {
            return numbers.get(Contexts.connection(context));
        }
        return members.isEmpty() ? null : members.get(0);
    }

    private void failed(int code) {
        if (code != -OfiConstants.FI_EAVAIL) {
            // The queue itself does not work any more.
            List.copyOf(members).forEach(member -> member.operationFailed(-code));
            return;
        }
        if (ofi.cqReadError(cq, error) > 0) {
            RdmaMember member = memberOf(error.context());
            if (member != null) {
                member.operationFailed(error.errno());
            }
        }
    }
}
