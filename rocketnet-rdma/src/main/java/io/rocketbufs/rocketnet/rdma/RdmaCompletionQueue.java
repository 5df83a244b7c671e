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
 * A completion queue. It serves many connections if completions identify their connection, otherwise a single
 * connection.
 *
 * <p>Some providers do not detect an overrun. Therefore the queue has room for all completions that its connections can
 * have outstanding, and refuses a connection whose completions would not fit.
 *
 * <p><b>Thread-safety:</b> belongs to the monitor's thread.
 */
final class RdmaCompletionQueue extends RdmaQueue {
    /** Maximum number of completions that one call reads. */
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
     * @param size number of completions for which the queue has room
     * @param numbers the connections to which completions may belong
     * @param shared false if completions do not identify their connection
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

    /** Adds a connection. Returns false if its completions would not fit. */
    boolean add(RdmaMember member, long entries) {
        if (promised + entries > size || !shared && !members.isEmpty()) {
            return false;
        }
        promised += entries;
        members.add(member);
        return true;
    }

    /** Removes a connection whose endpoint is closed. */
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
     * Passes all completions that have arrived to the workers. Returns false if there may be more completions and the
     * caller must try again. This happens if a worker has no room. It also happens if this method is called within
     * {@link #poll}, because completions read at that point would overtake the completions that are being passed on.
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
        assert !polling : "a queue must not be read while its completions are handed over";
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

    /** Returns the member to which a completion belongs, or null if its connection has been closed. */
    private RdmaMember memberOf(long context) {
        if (shared) {
            return numbers.get(Contexts.connection(context));
        }
        return members.isEmpty() ? null : members.get(0);
    }

    private void failed(int code) {
        if (code != -OfiConstants.FI_EAVAIL) {
            // The queue itself has failed.
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
