package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.ReadRequest;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.rdma.ofi.OfiAtomic;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiFunction;
import io.rocketbufs.rocketnet.rdma.ofi.OfiRma;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The outstanding reads and atomic operations of a connection, each in a slot. The slots are used in circular order. A
 * slow fetch can therefore delay later fetches, but no search for a free slot is needed.
 *
 * <p><b>Thread-safety:</b> {@link #operation}, {@link #writes} and {@link #completed} belong to the worker, the other
 * methods to the thread that holds the connection's sending side. The state of a slot publishes the slot's fields from
 * one thread to the other.
 */
final class RdmaFetches {
    private static final int FREE = 0;
    private static final int READ = 1;
    private static final int ATOMIC = 2;

    private final int number;
    private final RdmaScratch scratch;
    private final OfiFunction readmsg;
    private final OfiRma read = new OfiRma(1);
    /** Null if the provider does not support atomic operations. */
    private final OfiAtomic atomic;

    private final AtomicIntegerArray states;
    private final long[] contexts;
    private final long[] operations;
    private final long[] writes;
    /** The slot of the next fetch. */
    private int next;

    RdmaFetches(RdmaEndpoint endpoint) {
        RdmaDomain domain = endpoint.domain();
        number = endpoint.number();
        scratch = endpoint.scratch();
        readmsg = domain.ofi().readmsg(endpoint.fid());
        read.localCount(1);
        RdmaTraits traits = domain.traits();
        boolean byValue = traits.atomics() == RdmaTraits.Atomics.DEVICE_COMPARES_POINTER;
        atomic = traits.hasAtomics() ? domain.ofi().atomic(endpoint.fid(), scratch.cells(), byValue) : null;
        int slots = domain.capabilities().readWindow();
        states = new AtomicIntegerArray(slots);
        contexts = new long[slots];
        operations = new long[slots];
        writes = new long[slots];
    }

    /** Returns whether another fetch may be posted. */
    boolean hasSlot() {
        return states.get(next) == FREE;
    }

    /**
     * Posts a read. Returns 0 or a negative error number.
     *
     * @param descriptor the descriptor of the local memory's registration
     * @param operation the number of this operation
     * @param writesSoFar the number of writes before it
     */
    int read(ReadRequest request, long descriptor, long operation, long writesSoFar) {
        RemoteBuffer remote = request.remote();
        int length = request.length();
        begin(READ, request.context(), operation, writesSoFar);
        read.local(0, request.region().address() + request.offset(), length, descriptor);
        read.remoteKey(remote.access().key());
        read.remote(remote.access().address() + request.remoteOffset(), length);
        read.contextAndData(Contexts.fetch(number, next), 0);
        return begun(readmsg.call(read.address(), OfiConstants.FI_COMPLETION));
    }

    /** Posts a fetch-and-add operation. Returns 0 or a negative error number. */
    int fetchAdd(RemoteBuffer remote, long remoteOffset, long addend) {
        return begun(at(remote, remoteOffset).fetchAdd(scratch.atomicCell(next), addend, Contexts.fetch(number, next)));
    }

    /** Posts a compare-and-swap operation. Returns 0 or a negative error number. */
    int compareSwap(RemoteBuffer remote, long remoteOffset, long expected, long desired) {
        return begun(at(remote, remoteOffset)
                .compareSwap(scratch.atomicCell(next), expected, desired, Contexts.fetch(number, next)));
    }

    private OfiAtomic at(RemoteBuffer remote, long remoteOffset) {
        return atomic.remote(
                remote.access().address() + remoteOffset, remote.access().key());
    }

    /**
     * Reserves a slot for the next atomic operation.
     *
     * @param operation the number of this operation
     * @param writesSoFar the number of writes before it
     */
    void begin(long context, long operation, long writesSoFar) {
        begin(ATOMIC, context, operation, writesSoFar);
    }

    private void begin(int state, long context, long operation, long writesSoFar) {
        contexts[next] = context;
        operations[next] = operation;
        writes[next] = writesSoFar;
        // Set before the operation is posted, because the operation may complete during the call that posts it.
        states.set(next, state);
    }

    private int begun(int code) {
        if (code == 0) {
            next = next + 1 == contexts.length ? 0 : next + 1;
        } else {
            states.set(next, FREE);
        }
        return code;
    }

    // Called by the worker.

    /** Returns the number of the completed operation in a slot. */
    long operation(int slot) {
        // The state is read first, because the fields were written before the state.
        return states.get(slot) == FREE ? 0 : operations[slot];
    }

    /** Returns the number of writes that were posted before the completed operation in a slot. */
    long writes(int slot) {
        return writes[slot];
    }

    /** Frees the slot of a completed operation, and reports the completion. */
    void completed(int slot, TransportHandler handler) {
        int state = states.get(slot);
        long context = contexts[slot];
        if (state == READ) {
            states.set(slot, FREE);
            handler.readCompleted(context);
        } else {
            long before = atomic.before(scratch.atomicCell(slot));
            states.set(slot, FREE);
            handler.atomicCompleted(context, before);
        }
    }
}
