package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Completion;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The properties of the connections of a {@link LoopbackNetwork}: one of two predefined sets, which can be modified.
 *
 * <p><b>Thread-safety:</b> any thread; each method that changes an option returns a modified copy.
 */
public final class LoopbackOptions implements Cloneable {
    private final boolean receiverPlaces;
    private boolean lengthWithArrival = true;
    private int immediateBits = Integer.SIZE;
    private int vecsPerWrite;
    private int longestWrite;
    private int longestControl = 1024;
    private int injectLength;
    private int socketCapacity = 4096;
    private int window = 16;
    private int orderedPut;
    private int workers = 1;
    private boolean words;
    private boolean fetches;
    private boolean atomics = true;
    private long seed;

    private LoopbackOptions(boolean receiverPlaces, int vecsPerWrite, int longestWrite) {
        this.receiverPlaces = receiverPlaces;
        this.vecsPerWrite = vecsPerWrite;
        this.longestWrite = longestWrite;
        words = !receiverPlaces;
        fetches = !receiverPlaces;
    }

    /**
     * Returns TCP-like options: the receiver places data, writes may be partial, and there is a small socket buffer
     * between the two sides.
     */
    public static LoopbackOptions socket() {
        return new LoopbackOptions(true, 4, Integer.MAX_VALUE);
    }

    /**
     * Returns RDMA-like options: the sender addresses memory, up to 16 operations are in flight, and completions arrive
     * later.
     */
    public static LoopbackOptions oneSided() {
        return new LoopbackOptions(false, 1, 1 << 20);
    }

    /**
     * Sets whether an arrival reports its length. If not, the reported length is -1. Only for one-sided connections.
     */
    public LoopbackOptions lengthWithArrival(boolean value) {
        return with(copy -> copy.lengthWithArrival = value);
    }

    /** Sets the number of bits of immediate data that arrive, 32 by default. Higher bits are lost in transit. */
    public LoopbackOptions immediateBits(int value) {
        return with(copy -> copy.immediateBits = value);
    }

    /**
     * Sets the maximum number of ranges in one write. The default is 4 for sockets, and 1 for one-sided connections.
     */
    public LoopbackOptions vecsPerWrite(int value) {
        return with(copy -> copy.vecsPerWrite = value);
    }

    /**
     * Sets the maximum length of a write. The default is 2 GiB - 1 for sockets, and 1 MiB for one-sided connections.
     */
    public LoopbackOptions longestWrite(int value) {
        return with(copy -> copy.longestWrite = value);
    }

    /** Sets the maximum length of a control message in bytes, 1024 by default. */
    public LoopbackOptions longestControl(int value) {
        return with(copy -> copy.longestControl = value);
    }

    /**
     * Sets the maximum length of writes that are copied when posted and complete immediately. Only for one-sided
     * connections.
     */
    public LoopbackOptions injectLength(int value) {
        return with(copy -> copy.injectLength = value);
    }

    /**
     * Sets the capacity of the socket buffer in bytes, including 8 bytes for each header. The default is 4096. Only for
     * sockets.
     */
    public LoopbackOptions socketCapacity(int value) {
        return with(copy -> copy.socketCapacity = value);
    }

    /**
     * Sets the maximum number of operations in flight: writes, writes to words, and control messages. The default is
     * 16. Only for one-sided connections.
     */
    public LoopbackOptions window(int value) {
        return with(copy -> copy.window = value);
    }

    /**
     * Sets the maximum length of a put that is complete before any part of a later put or word arrives. With 0, the
     * default, later puts and words overtake all puts. Only for one-sided connections.
     */
    public LoopbackOptions orderedPut(int value) {
        return with(copy -> copy.orderedPut = value);
    }

    /** Sets whether words can be lent. Only for one-sided connections. */
    public LoopbackOptions words(boolean value) {
        return with(copy -> copy.words = value);
    }

    /**
     * Sets whether memory can be read and words can be changed atomically. Half of the window is available for these
     * operations. Only for one-sided connections.
     */
    public LoopbackOptions fetches(boolean value) {
        return with(copy -> copy.fetches = value);
    }

    /** Sets whether words can be changed atomically if memory can be read. The default is true. */
    public LoopbackOptions atomics(boolean value) {
        return with(copy -> copy.atomics = value);
    }

    /** Sets the number of threads of each transport, 1 by default. */
    public LoopbackOptions workers(int value) {
        return with(copy -> copy.workers = value);
    }

    /** Sets the seed of all random decisions. With 0, the default, each network chooses a seed. */
    public LoopbackOptions seed(long value) {
        return with(copy -> copy.seed = value);
    }

    private LoopbackOptions with(Consumer<LoopbackOptions> change) {
        try {
            LoopbackOptions copy = (LoopbackOptions) clone();
            change.accept(copy);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** Rejects inconsistent options. Called after all options have been set. */
    void validate() {
        if (receiverPlaces && (!lengthWithArrival || injectLength > 0 || orderedPut > 0 || words || fetches)) {
            throw new IllegalArgumentException("only for one-sided connections: lengthWithArrival=" + lengthWithArrival
                    + ", injectLength=" + injectLength + ", orderedPut=" + orderedPut + ", words=" + words
                    + ", fetches=" + fetches);
        }
        if (socketCapacity < longestControl + LoopbackSocketPipe.HEADER_LENGTH) {
            throw new IllegalArgumentException("a control message does not fit: socketCapacity=" + socketCapacity
                    + ", longestControl=" + longestControl);
        }
        if (immediateBits < 1 || immediateBits > Integer.SIZE || vecsPerWrite < 1 || window < 1 || workers < 1) {
            throw new IllegalArgumentException("out of range: immediateBits=" + immediateBits + ", vecsPerWrite="
                    + vecsPerWrite + ", window=" + window + ", workers=" + workers);
        }
    }

    Capabilities capabilities() {
        return Capabilities.builder()
                .immediateBits(immediateBits)
                .receiverPlaces(receiverPlaces)
                .lengthWithArrival(lengthWithArrival)
                .connectionWithArrival(true)
                .vecsPerWrite(vecsPerWrite)
                .longestWrite(longestWrite)
                .longestControl(longestControl)
                .injectLength(injectLength)
                .ordered(true)
                .remoteCpu(receiverPlaces)
                .orderedPut(orderedPut)
                .longestRead(fetches ? longestWrite : 0)
                .readWindow(fetches ? readWindow() : 0)
                .revokeFences(!receiverPlaces)
                .coherentAtomics(fetches && atomics)
                .withdraws(receiverPlaces)
                .completion(receiverPlaces ? Completion.SENT : Completion.DELIVERED)
                .operations(operations())
                .build();
    }

    private Set<Operation> operations() {
        Set<Operation> operations = EnumSet.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND);
        if (words) {
            operations.add(Operation.WRITE_WORD);
        }
        if (!receiverPlaces) {
            operations.add(Operation.PUT);
        }
        if (fetches) {
            operations.add(Operation.READ);
        }
        if (fetches && atomics) {
            operations.addAll(Set.of(Operation.FETCH_ADD, Operation.COMPARE_SWAP));
        }
        return operations;
    }

    boolean receiverPlaces() {
        return receiverPlaces;
    }

    int injectLength() {
        return injectLength;
    }

    int socketCapacity() {
        return socketCapacity;
    }

    int window() {
        return window;
    }

    int orderedPut() {
        return orderedPut;
    }

    int readWindow() {
        return Math.max(1, window / 2);
    }

    int workers() {
        return workers;
    }

    long seed() {
        return seed;
    }

    @Override
    public String toString() {
        return receiverPlaces ? "socket" : "oneSided";
    }
}
