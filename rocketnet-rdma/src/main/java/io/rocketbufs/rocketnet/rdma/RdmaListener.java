package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A passive endpoint: accepts connections, each on the NIC that its request names.
 *
 * <p><b>Thread-safety:</b> {@link #address} and {@link #close} any thread, the rest the monitor's.
 */
final class RdmaListener implements TransportListener, RdmaEvents.Target {
    private static final Logger LOGGER = LoggerFactory.getLogger(RdmaListener.class);
    private static final long CLOSE_TIMEOUT_MS = 5_000;

    private final RdmaTransport transport;
    private final RdmaNic nic;
    private final TransportAcceptor acceptor;
    /** Some providers look at it as long as the endpoint is open. */
    private final OfiInfo info;

    private final long endpoint;
    private final InetSocketAddress address;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private boolean closed;

    /** Listens from now on; events come when it begins. Takes the description over unless it fails. */
    RdmaListener(RdmaTransport transport, RdmaNic nic, OfiInfo info, TransportAcceptor acceptor) {
        this.transport = transport;
        this.nic = nic;
        this.acceptor = acceptor;
        this.info = info;
        Ofi ofi = nic.ofi();
        endpoint = ofi.passiveEp(nic.fabric().fid(), info);
        try {
            ofi.bind(endpoint, nic.events().fid(), 0);
            ofi.listen(endpoint);
            address = RdmaAddress.of(ofi.getname(endpoint));
        } catch (RuntimeException e) {
            ofi.close(endpoint);
            throw e;
        }
    }

    void begin() {
        if (nic.add(this)) {
            nic.events().add(endpoint, this);
        } else {
            closeNow();
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void requested(OfiInfo request, byte[] data) {
        RdmaNic target;
        try {
            target = nicFor(request);
        } catch (RuntimeException e) {
            reject(request, e.getMessage());
            nic.ofi().freeinfo(request);
            return;
        }
        if (target == nic) {
            accept(nic, request, data);
        } else {
            target.monitor().execute(() -> accept(target, request, data));
        }
    }

    /** A device accepts what has come over it; providers without one do not always name where something came from. */
    private RdmaNic nicFor(OfiInfo request) {
        return RdmaProviders.isHardware(request.provider()) ? transport.nic(request) : nic;
    }

    private void accept(RdmaNic target, OfiInfo request, byte[] data) {
        RdmaConnection connection = null;
        try {
            RdmaGreeting greeting = RdmaGreeting.of(data);
            connection = new RdmaConnection(target, request);
            RdmaPeer peer = new RdmaPeer(connection, acceptor, address, greeting);
            target.add(connection, peer);
            target.ofi().accept(connection.endpoint(), connection.greeting().block());
            peer.limit(target.settings().connectTimeoutMs());
        } catch (OfiException e) {
            LOGGER.warn("accept on {}: {}", address, e.getMessage());
            if (connection != null) {
                connection.releaseNow();
            }
        } catch (RuntimeException e) {
            reject(request, e.getMessage());
        } finally {
            target.ofi().freeinfo(request);
        }
    }

    private void reject(OfiInfo request, String reason) {
        LOGGER.warn("refused a connection to {}: {}", address, reason);
        try {
            nic.ofi().reject(endpoint, request);
        } catch (OfiException e) {
            LOGGER.warn("accept on {}: {}", address, e.getMessage());
        }
    }

    @Override
    public void failed(int errno) {
        LOGGER.warn("accept on {}: {}", address, nic.ofi().strerror(errno));
    }

    @Override
    public void close() {
        if (nic.monitor().inWorker()) {
            closeNow();
        } else if (nic.monitor().tryExecute(this::closeNow)) {
            awaitEnd();
        }
    }

    void closeNow() {
        if (!closed) {
            closed = true;
            nic.events().remove(endpoint);
            nic.remove(this);
            nic.ofi().close(endpoint);
            nic.ofi().freeinfo(info);
            ended.complete(null);
        }
    }

    /** Only then can the port be used again. */
    private void awaitEnd() {
        try {
            ended.get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOGGER.warn("listener on {} has not closed within {} ms", address, CLOSE_TIMEOUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
