package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.rdma.RdmaTraits.Atomics;
import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiAtomic;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import io.rocketbufs.rocketnet.rdma.ofi.OfiRma;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a probe that tries reads and atomic operations over an endpoint connected to the same domain. A provider
 * that does not support these operations, or executes them incorrectly, can still be used without them.
 *
 * <p><b>Thread-safety:</b> not thread-safe.
 */
final class RdmaFetchProbe {
    /** Offset of the number to read in the probe's memory. */
    static final int SOURCE = 192;

    /** Minimum length of the probe's memory. */
    static final int LENGTH = 384;

    private static final Logger LOGGER = LoggerFactory.getLogger(RdmaFetchProbe.class);
    private static final int LANDING = 200;
    private static final int WORD = 256;
    private static final int CELL = 320;
    private static final long DATA = 0x1112131415161718L;

    private final Ofi ofi;
    private final OfiInfo device;
    private final long endpoint;
    private final long registration;
    private final NativeBlock memory;
    private final Completions completions;
    private long context;

    /** The completions of the endpoint. */
    interface Completions {
        /**
         * Waits for a completion.
         *
         * @throws OfiException if the operation has failed
         * @throws TransportException if the completion does not arrive in time
         */
        void await(String what, long context);
    }

    /**
     * Creates a probe.
     *
     * @param endpoint posts the operations
     * @param registration the registration of the memory, which both sides use
     * @param context the lowest unused context; all higher contexts must be unused too
     */
    RdmaFetchProbe(
            Ofi ofi,
            OfiInfo device,
            long endpoint,
            long registration,
            NativeBlock memory,
            Completions completions,
            long context) {
        this.ofi = ofi;
        this.device = device;
        this.endpoint = endpoint;
        this.registration = registration;
        this.memory = memory;
        this.completions = completions;
        this.context = context;
    }

    private long remote(int offset) {
        boolean virtual = (device.mrMode() & OfiConstants.FI_MR_VIRT_ADDR) != 0;
        return virtual ? memory.address() + offset : offset;
    }

    /** Returns the traits found so far, completed with the results of this probe. */
    RdmaTraits complete(RdmaTraits traits) {
        boolean reads = tries("reads", this::read);
        boolean adds = reads
                && (device.caps() & OfiConstants.FI_ATOMIC) != 0
                && tries("additions to words", () -> add(atomic(false)));
        return traits.with(reads, adds ? atomics() : Atomics.NONE);
    }

    private interface Attempt {
        boolean succeeds();
    }

    private boolean tries(String what, Attempt attempt) {
        String reason = "with a wrong result";
        try {
            if (attempt.succeeds()) {
                return true;
            }
        } catch (OfiException | TransportException e) {
            reason = e.getMessage();
        }
        LOGGER.info("Provider {} device {}: no {}: {}", device.provider(), device.domainName(), what, reason);
        return false;
    }

    private boolean read() {
        memory.putLong(SOURCE, DATA).putLong(LANDING, 0);
        OfiRma read = new OfiRma(1);
        read.local(0, memory.address() + LANDING, Long.BYTES, ofi.mrDesc(registration));
        read.localCount(1);
        read.remoteKey(ofi.mrKey(registration));
        read.remote(remote(SOURCE), Long.BYTES);
        read.contextAndData(++context, 0);
        await("a read", ofi.readmsg(endpoint).call(read.address(), OfiConstants.FI_COMPLETION));
        return memory.getLong(LANDING) == DATA;
    }

    private OfiAtomic atomic(boolean compareByValue) {
        OfiAtomic.Cells cells = new OfiAtomic.Cells(memory.bytes(), memory.address(), ofi.mrDesc(registration));
        return ofi.atomic(endpoint, cells, compareByValue).remote(remote(WORD), ofi.mrKey(registration));
    }

    private boolean add(OfiAtomic atomic) {
        memory.putLong(WORD, 5);
        return fetchAdd(atomic, 37) == 5 && fetchAdd(atomic, -2) == 42 && memory.getLong(WORD) == 40;
    }

    private long fetchAdd(OfiAtomic atomic, long addend) {
        await("an addition to a word", atomic.fetchAdd(CELL, addend, ++context));
        return atomic.before(CELL);
    }

    private Atomics atomics() {
        boolean hardware = RdmaProviders.isHardware(device.provider());
        // Comparisons by value are tried only with a hardware provider, because a software provider would dereference
        // the number as a pointer.
        if (tries("comparisons by pointer", () -> compare(atomic(false)))) {
            // Software providers use the processor's atomic instructions. A race at each startup would take long and
            // prove little, so the transport contract tests it instead.
            return hardware ? Atomics.DEVICE : Atomics.COHERENT;
        }
        return hardware && tries("comparisons by value", () -> compare(atomic(true)))
                ? Atomics.DEVICE_COMPARES_POINTER
                : Atomics.NONE;
    }

    private boolean compare(OfiAtomic atomic) {
        memory.putLong(WORD, 40);
        return compareSwap(atomic, 40, 7) == 40
                && memory.getLong(WORD) == 7
                && compareSwap(atomic, 40, 8) == 7
                && memory.getLong(WORD) == 7;
    }

    private long compareSwap(OfiAtomic atomic, long expected, long desired) {
        await("a comparison of a word", atomic.compareSwap(CELL, expected, desired, ++context));
        return atomic.before(CELL);
    }

    private void await(String what, int code) {
        if (code != 0) {
            throw new OfiException(what, -code, ofi.strerror(-code));
        }
        completions.await(what, context);
    }
}
