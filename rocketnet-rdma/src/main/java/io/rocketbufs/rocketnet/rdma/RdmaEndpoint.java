package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;

/**
 * A libfabric endpoint with its number, its completion queue and its memory, opened and closed as a unit.
 *
 * <p><b>Thread-safety:</b> opened, drained and closed by the monitor; otherwise immutable. <b>Ownership:</b> owns the
 * endpoint, its scratch memory and its words.
 */
final class RdmaEndpoint {
    private final RdmaNic nic;
    private final Owner owner;
    private final RdmaMember member;
    private final RdmaCompletionQueue queue;
    private final long fid;
    private final RdmaScratch scratch;
    private final RdmaWords words;
    private final RdmaWords.Word receivesWord;

    /** The connection to which an endpoint belongs. */
    interface Owner extends CompletionTarget {
        /** Called on any thread with the (positive) errno when an operation could not be posted. */
        void postingFailed(String operation, int errno);

        /** Called on any thread when the provider currently has no room for an operation. */
        void noRoomToPost();
    }

    /**
     * Opens an endpoint that can be connected or accepted.
     *
     * @param info describes the endpoint
     * @param worker handles the completions
     */
    RdmaEndpoint(RdmaNic nic, OfiInfo info, CompletionSink worker, Owner owner) {
        this.nic = nic;
        this.owner = owner;
        RdmaDomain domain = nic.domain();
        member = nic.join(owner, worker);
        RdmaCompletionQueue opening = null;
        long opened = 0;
        RdmaScratch memory = null;
        RdmaWords lent = null;
        try {
            opening = nic.queueFor(member);
            queue = opening;
            opened = domain.openEndpoint(info, queue);
            fid = opened;
            memory = new RdmaScratch(domain.scratchPool(), domain.memory(), domain.receives(), domain.atomicCells());
            scratch = memory;
            lent = new RdmaWords(domain.wordPool(), domain.memory());
            words = lent;
            receivesWord = words.lend();
        } catch (RuntimeException | Error e) {
            close(opening, opened, memory, lent);
            throw e;
        }
    }

    RdmaDomain domain() {
        return nic.domain();
    }

    Owner owner() {
        return owner;
    }

    /** Returns the connection's number, which is part of its operations' contexts. */
    int number() {
        return member.number();
    }

    long fid() {
        return fid;
    }

    RdmaScratch scratch() {
        return scratch;
    }

    RdmaWords words() {
        return words;
    }

    /** Returns the word to which the peer writes the number of its posted receives. */
    RdmaWords.Word receivesWord() {
        return receivesWord;
    }

    /**
     * Passes all completions that have arrived to the workers. Returns false if there may be more completions and the
     * caller must try again.
     */
    boolean drain() {
        return queue.drain();
    }

    /** Ends the connection and releases all memory. */
    void close() {
        close(queue, fid, scratch, words);
    }

    private void close(RdmaCompletionQueue queue, long fid, RdmaScratch scratch, RdmaWords words) {
        // The endpoint is closed first, so that no peer writes to memory that has been released.
        if (fid != 0) {
            domain().closeEndpoint(fid);
        }
        if (words != null) {
            words.close();
        }
        if (scratch != null) {
            scratch.close();
        }
        if (queue != null) {
            nic.release(queue, member);
        }
        nic.leave(member);
    }
}
