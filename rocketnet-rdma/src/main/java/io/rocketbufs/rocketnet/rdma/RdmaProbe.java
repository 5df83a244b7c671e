package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiCompletionError;
import io.rocketbufs.rocketnet.rdma.ofi.OfiCompletions;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import io.rocketbufs.rocketnet.rdma.ofi.OfiMessage;
import io.rocketbufs.rocketnet.rdma.ofi.OfiRma;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A probe of a provider. It connects a domain to itself, performs one write with immediate data, and then performs
 * {@linkplain RdmaFetchProbe reads and atomic operations}. It is needed because versions of a provider differ and do
 * not always describe themselves correctly.
 *
 * <p><b>Thread-safety:</b> not thread-safe; runs before the domain's monitor starts. <b>Ownership:</b> owns and closes
 * all objects that it opens.
 */
final class RdmaProbe implements AutoCloseable {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_NS = 50_000;
    private static final int QUEUE_SIZE = 16;
    private static final int LENGTH = 8;
    private static final int SOURCE = 64;
    private static final int RECEIVE = 128;
    private static final long CONTEXT = 0x5242;
    private static final long DATA = 0x0102030405060708L;
    private static final long ACCESS = OfiConstants.FI_SEND
            | OfiConstants.FI_RECV
            | OfiConstants.FI_WRITE
            | OfiConstants.FI_READ
            | OfiConstants.FI_REMOTE_WRITE
            | OfiConstants.FI_REMOTE_READ;

    private final Ofi ofi;
    private final RdmaFabric fabric;
    private final long domain;
    private final RdmaEventQueue events;
    private final OfiInfo device;
    private final NativeBlock memory = new NativeBlock(RdmaFetchProbe.LENGTH);
    private final NativeBlock data = new NativeBlock(LENGTH);
    /**
     * Describes the passive endpoint. It is freed after the endpoint has been closed, because some providers access it
     * until then.
     */
    private OfiInfo passiveInfo;

    private long passive;
    private Side active;
    private Side accepted;
    private long registration;
    private int failure;

    private RdmaProbe(Ofi ofi, RdmaFabric fabric, long domain, RdmaEventQueue events, OfiInfo device) {
        this.ofi = ofi;
        this.fabric = fabric;
        this.domain = domain;
        this.events = events;
        this.device = device;
    }

    /** An endpoint with its completion queue. */
    private final class Side implements RdmaEventQueue.Target {
        private final long queue;
        private final long endpoint;
        private boolean connected;

        Side(OfiInfo info) {
            queue = ofi.cqOpen(domain, QUEUE_SIZE);
            try {
                endpoint = ofi.endpoint(domain, info);
            } catch (RuntimeException e) {
                ofi.close(queue);
                throw e;
            }
            ofi.bind(endpoint, events.fid(), 0);
            // Sends and arrivals are bound with separate calls. If selective completion also applied to arrivals,
            // arrivals of operations that do not report their completion would be lost.
            ofi.bind(endpoint, queue, OfiConstants.FI_SEND | OfiConstants.FI_SELECTIVE_COMPLETION);
            ofi.bind(endpoint, queue, OfiConstants.FI_RECV);
            ofi.enable(endpoint);
            events.add(endpoint, this);
        }

        @Override
        public void connected(byte[] data) {
            connected = true;
        }

        @Override
        public void failed(int errno) {
            failure = errno;
        }

        void close() {
            events.remove(endpoint);
            if (RdmaProviders.mayShutDown(device.provider())) {
                ofi.shutdown(endpoint);
            }
            ofi.close(endpoint);
            ofi.close(queue);
        }
    }

    /**
     * Probes a domain.
     *
     * @throws OfiException if the domain cannot connect to itself
     * @throws TransportException with code UNAVAILABLE if the provider lacks a capability that this transport needs
     */
    static RdmaTraits probe(Ofi ofi, RdmaFabric fabric, long domain, RdmaEventQueue events, OfiInfo device) {
        try (RdmaProbe probe = new RdmaProbe(ofi, fabric, domain, events, device)) {
            return probe.run();
        } catch (OfiException e) {
            throw e.during(name(device) + " cannot connect to itself");
        }
    }

    private static String name(OfiInfo device) {
        return "provider " + device.provider() + " device " + device.domainName();
    }

    private RdmaTraits run() {
        connect();
        registration = ofi.mrReg(domain, memory.address(), memory.length(), ACCESS, Long.MAX_VALUE);
        OfiMessage receive = new OfiMessage();
        receive.set(memory.address() + RECEIVE, LENGTH, ofi.mrDesc(registration), CONTEXT);
        check("post a receive", ofi.recvmsg(accepted.endpoint).call(receive.address(), OfiConstants.FI_COMPLETION));
        boolean virtual = (device.mrMode() & OfiConstants.FI_MR_VIRT_ADDR) != 0;
        OfiRma write = new OfiRma(1);
        write.local(0, memory.address() + SOURCE, LENGTH, ofi.mrDesc(registration));
        write.localCount(1);
        write.remoteKey(ofi.mrKey(registration));
        write.remote(virtual ? memory.address() : 0, LENGTH);
        write.contextAndData(0, DATA);
        memory.putLong(SOURCE, DATA);
        long flags = OfiConstants.FI_REMOTE_CQ_DATA | OfiConstants.FI_COMPLETION;
        check("write", ofi.writemsg(active.endpoint).call(write.address(), flags));
        RdmaTraits traits = traits(awaitArrival());
        return new RdmaFetchProbe(ofi, device, active.endpoint, registration, memory, this::awaitCompletion, CONTEXT)
                .complete(traits);
    }

    private void connect() {
        InetSocketAddress own = ownAddress();
        passiveInfo = RdmaProviders.find(ofi, device.provider(), own, OfiConstants.FI_SOURCE);
        passive = ofi.passiveEp(fabric.fid(), passiveInfo);
        ofi.bind(passive, events.fid(), 0);
        ofi.listen(passive);
        events.add(passive, new RdmaEventQueue.Target() {
            @Override
            public void requested(OfiInfo request, byte[] privateData) {
                accept(request);
            }
        });
        InetSocketAddress address = new InetSocketAddress(
                own.getAddress(), RdmaAddress.of(ofi.getname(passive)).getPort());
        OfiInfo target = RdmaProviders.find(ofi, device.provider(), address, 0);
        try {
            active = new Side(target);
            ofi.connect(active.endpoint, target.destinationAddress(), data);
        } finally {
            ofi.freeinfo(target);
        }
        await("connecting", () -> active.connected && accepted != null && accepted.connected);
    }

    private InetSocketAddress ownAddress() {
        byte[] source = device.sourceAddress();
        InetAddress address = source.length == 0 ? null : RdmaAddress.of(source).getAddress();
        boolean usable = address != null && !address.isAnyLocalAddress();
        return new InetSocketAddress(usable ? address : InetAddress.getLoopbackAddress(), 0);
    }

    private void accept(OfiInfo request) {
        try {
            accepted = new Side(request);
            ofi.accept(accepted.endpoint, data);
        } finally {
            ofi.freeinfo(request);
        }
    }

    private OfiCompletions awaitArrival() {
        OfiCompletions completions = new OfiCompletions(1);
        OfiCompletions sent = new OfiCompletions(1);
        await("a write with immediate data", () -> {
            ofi.cqRead(active.queue).call(sent.address(), 1);
            int count = ofi.cqRead(accepted.queue).call(completions.address(), 1);
            if (count < 0 && count != -OfiConstants.FI_EAGAIN) {
                check("write", count);
            }
            return count == 1;
        });
        return completions;
    }

    private void awaitCompletion(String what, long context) {
        OfiCompletions completions = new OfiCompletions(1);
        await(what, () -> {
            // Some providers execute the peer's operations only while the accepting side's queue is read.
            ofi.cqRead(accepted.queue).call(completions.address(), 1);
            int count = ofi.cqRead(active.queue).call(completions.address(), 1);
            if (count == -OfiConstants.FI_EAVAIL) {
                OfiCompletionError error = new OfiCompletionError();
                ofi.cqReadError(active.queue, error);
                throw new OfiException(what, error.errno(), ofi.strerror(error.errno()));
            }
            return count == 1 && completions.context(0) == context;
        });
    }

    private RdmaTraits traits(OfiCompletions arrival) {
        int bytes = (int) Math.min(Long.BYTES, device.cqDataSize());
        long mask = bytes == Long.BYTES ? -1 : (1L << bytes * Byte.SIZE) - 1;
        boolean intact = bytes >= Integer.BYTES
                && (arrival.data(0) & mask) == (DATA & mask)
                && (arrival.flags(0) & OfiConstants.FI_REMOTE_WRITE) != 0
                && memory.getLong(0) == DATA;
        boolean lengthTold = arrival.length(0) == LENGTH;
        if (!intact || bytes < Long.BYTES && !lengthTold) {
            throw new TransportException(
                    Code.UNAVAILABLE,
                    name(device) + " does not perform a write with immediate data correctly: " + bytes
                            + " bytes of immediate data, which arrived as " + Long.toHexString(arrival.data(0))
                            + ", flags " + Long.toHexString(arrival.flags(0)) + ", length " + arrival.length(0));
        }
        boolean contextTold = arrival.context(0) == CONTEXT;
        boolean consumes = contextTold || (device.mode() & OfiConstants.FI_RX_CQ_DATA) != 0;
        if (consumes && !contextTold) {
            throw new TransportException(
                    Code.UNAVAILABLE, name(device) + " uses up receives without reporting which ones");
        }
        return new RdmaTraits(bytes, lengthTold, contextTold, consumes, false, RdmaTraits.Atomics.NONE);
    }

    private void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean()) {
            check(what, -failure);
            if (System.nanoTime() - end > 0) {
                throw new TransportException(
                        Code.UNAVAILABLE,
                        name(device) + " has not finished " + what + " to itself within "
                                + TimeUnit.NANOSECONDS.toMillis(LIMIT_NS) + " ms");
            }
            if (!events.poll()) {
                progress();
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    /** Reads the queues, because some providers make progress only while their queues are read. */
    private void progress() {
        OfiCompletions none = new OfiCompletions(1);
        if (accepted != null && !accepted.connected) {
            ofi.cqRead(accepted.queue).call(none.address(), 1);
        }
    }

    private void check(String what, int code) {
        if (code < 0) {
            throw new OfiException(what, -code, ofi.strerror(-code));
        }
    }

    @Override
    public void close() {
        if (active != null) {
            active.close();
        }
        if (accepted != null) {
            accepted.close();
        }
        if (registration != 0) {
            ofi.close(registration);
        }
        if (passive != 0) {
            events.remove(passive);
            ofi.close(passive);
        }
        if (passiveInfo != null) {
            ofi.freeinfo(passiveInfo);
        }
    }
}
