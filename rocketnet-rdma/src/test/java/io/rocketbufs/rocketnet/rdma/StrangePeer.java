package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiCompletions;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import io.rocketbufs.rocketnet.rdma.ofi.OfiRma;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A peer that uses libfabric's tcp provider and can send invalid greetings and writes. A thread polls its queues. */
final class StrangePeer implements AutoCloseable {
    private final Ofi ofi = Ofi.load("libfabric.so.1");
    private final RdmaFabric fabric;
    private final RdmaEventQueue events;
    private final long domain;
    private final long queue;
    private final List<Long> endpoints = new ArrayList<>();
    private final List<OfiInfo> infos = new ArrayList<>();
    private final Thread poller = new Thread(this::poll, "strange-peer");
    private final NativeBlock memory = new NativeBlock(64);
    private long registration;
    private volatile boolean closed;
    private volatile String outcome;

    StrangePeer() {
        OfiInfo info = find(RdmaEnds.loopback(0), OfiConstants.FI_SOURCE);
        fabric = RdmaFabric.open(ofi, info);
        events = new RdmaEventQueue(ofi, fabric);
        domain = ofi.domain(fabric.fid(), info);
        queue = ofi.cqOpen(domain, 64);
        poller.setDaemon(true);
    }

    private OfiInfo find(InetSocketAddress address, long flags) {
        OfiInfo info = RdmaProviders.find(ofi, "tcp", address, flags);
        infos.add(info);
        return info;
    }

    private final class Watch implements RdmaEventQueue.Target {
        @Override
        public void connected(byte[] data) {
            outcome = "connected";
        }

        @Override
        public void failed(int errno) {
            outcome = "refused";
        }

        @Override
        public void gone() {
            outcome = "refused";
        }
    }

    private long endpoint(OfiInfo info) {
        long endpoint = ofi.endpoint(domain, info);
        endpoints.add(endpoint);
        ofi.bind(endpoint, events.fid(), 0);
        ofi.bind(endpoint, queue, OfiConstants.FI_SEND | OfiConstants.FI_RECV);
        ofi.enable(endpoint);
        events.add(endpoint, new Watch());
        return endpoint;
    }

    /** Connects and sends the given text as private data. Returns the outcome. */
    String connect(InetSocketAddress address, String text) {
        connect(address, NativeBlock.string(text));
        return outcome;
    }

    private long connect(InetSocketAddress address, NativeBlock data) {
        outcome = null;
        OfiInfo info = find(address, 0);
        long endpoint = endpoint(info);
        ofi.connect(endpoint, info.destinationAddress(), data);
        RdmaRecordingHandler.await().until(() -> {
            pollOnce();
            return outcome != null;
        });
        return endpoint;
    }

    /** Connects with a valid greeting, like a RocketBufs peer. Returns the endpoint. */
    long connectProperly(InetSocketAddress address) {
        registration = ofi.mrReg(
                domain, memory.address(), memory.length(), OfiConstants.FI_WRITE | OfiConstants.FI_REMOTE_WRITE, 1);
        return connect(address, new RdmaGreeting(128, 0, ofi.mrKey(registration)).block());
    }

    /** Writes eight bytes to granted memory, with arbitrary immediate data. */
    void write(long endpoint, RemoteAccess target, long immediate) {
        OfiRma write = new OfiRma(1);
        write.local(0, memory.address(), Long.BYTES, ofi.mrDesc(registration));
        write.localCount(1);
        write.remoteKey(target.key());
        write.remote(target.address(), Long.BYTES);
        write.contextAndData(0, immediate);
        long flags = OfiConstants.FI_REMOTE_CQ_DATA | OfiConstants.FI_COMPLETION;
        assertThat(ofi.writemsg(endpoint).call(write.address(), flags)).isZero();
        poller.start();
    }

    /**
     * Accepts every request until this peer is closed, and answers with the given text as private data. Returns the
     * address on which it listens.
     */
    InetSocketAddress listen(String text) {
        long passive = ofi.passiveEp(fabric.fid(), infos.get(0));
        endpoints.add(passive);
        ofi.bind(passive, events.fid(), 0);
        ofi.listen(passive);
        events.add(passive, new RdmaEventQueue.Target() {
            @Override
            public void requested(OfiInfo request, byte[] data) {
                infos.add(request);
                ofi.accept(endpoint(request), NativeBlock.string(text));
            }
        });
        poller.start();
        return RdmaAddress.of(ofi.getname(passive));
    }

    private void poll() {
        while (!closed) {
            pollOnce();
            Thread.onSpinWait();
        }
    }

    private void pollOnce() {
        OfiCompletions none = new OfiCompletions(1);
        try {
            events.poll();
            ofi.cqRead(queue).call(none.address(), 1);
        } catch (OfiException e) {
            outcome = e.getMessage();
        }
    }

    @Override
    public void close() {
        closed = true;
        RdmaRecordingHandler.await().until(() -> !poller.isAlive());
        endpoints.forEach(ofi::close);
        if (registration != 0) {
            ofi.close(registration);
        }
        ofi.close(queue);
        ofi.close(domain);
        events.close();
        ofi.close(fabric.fid());
        infos.forEach(ofi::freeinfo);
    }
}
