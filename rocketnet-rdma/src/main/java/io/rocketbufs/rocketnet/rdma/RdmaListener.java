package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A passive endpoint that accepts connections. Each connection is accepted on the NIC named in its request.
 *
 * <p><b>Thread-safety:</b> any thread may call {@link #address} and {@link #close}; all other methods belong to the
 * monitor.
 */
final class RdmaListener implements TransportListener, RdmaEventQueue.Target, RdmaNic.Child {
    private static final Logger LOGGER = LoggerFactory.getLogger(RdmaListener.class);
    private static final long CLOSE_TIMEOUT_MS = 5_000;

    private final Ofi ofi;
    private final RdmaNic nic;
    private final Function<OfiInfo, RdmaNic> nics;
    private final TransportAcceptor acceptor;
    /**
     * The address to listen on. It is freed after the endpoint has been closed, because some providers access it until
     * then.
     */
    private final OfiInfo info;

    private final long endpoint;
    private final InetSocketAddress address;
    private final String place;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /**
     * Number of requests being handled by monitors of other NICs. These monitors need this endpoint to refuse a
     * request.
     */
    private int handedOver;

    private boolean closed;

    /**
     * Creates a listener, which starts listening immediately. Its events are handled once {@link #begin} is called.
     *
     * @param info the address to listen on; owned by the listener unless the constructor fails
     * @param nics returns the NIC that accepts a request
     */
    RdmaListener(RdmaNic nic, OfiInfo info, Function<OfiInfo, RdmaNic> nics, TransportAcceptor acceptor) {
        this.nic = nic;
        this.nics = nics;
        this.acceptor = acceptor;
        this.info = info;
        ofi = nic.domain().ofi();
        endpoint = ofi.passiveEp(nic.domain().fabric().fid(), info);
        try {
            ofi.bind(endpoint, nic.domain().events().fid(), 0);
            ofi.listen(endpoint);
            address = RdmaAddress.of(ofi.getname(endpoint));
            place = RdmaPlace.of(info.provider(), address).toString();
        } catch (RuntimeException e) {
            ofi.close(endpoint);
            throw e;
        }
    }

    /** Starts handling requests. */
    void begin() {
        if (nic.add(this)) {
            nic.domain().events().add(endpoint, this);
        } else {
            abort();
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public String place() {
        return place;
    }

    @Override
    public void requested(OfiInfo request, byte[] data) {
        RdmaNic target;
        try {
            target = nics.apply(request);
        } catch (RuntimeException e) {
            answer(request, e.getMessage());
            return;
        }
        if (target == nic) {
            answer(request, accept(nic, request, data));
        } else if (target.monitor().tryExecute(() -> acceptElsewhere(target, request, data))) {
            handedOver++;
        } else {
            answer(request, target.domain().deviceName() + " is closed");
        }
    }

    /** Accepts a request on another NIC. Called on the other NIC's monitor. */
    private void acceptElsewhere(RdmaNic target, OfiInfo request, byte[] data) {
        String refusal = accept(target, request, data);
        nic.monitor().execute(() -> {
            handedOver--;
            answer(request, refusal);
            endIfClosed();
        });
    }

    /**
     * Accepts a request. Returns null if the request was accepted, otherwise the reason why it must be refused. Called
     * on the monitor of {@code target}.
     */
    private String accept(RdmaNic target, OfiInfo request, byte[] data) {
        try {
            RdmaHandshake.accept(target, request, data, address, acceptor);
            return null;
        } catch (RuntimeException e) {
            return e.getMessage();
        }
    }

    /** Frees a request. If {@code refusal} is not null, first refuses the request. */
    private void answer(OfiInfo request, String refusal) {
        try {
            if (refusal != null) {
                LOGGER.warn("Refused a connection to {}: {}", HostPort.of(address), refusal);
                ofi.reject(endpoint, request);
            }
        } catch (OfiException e) {
            LOGGER.warn("Failed to accept a connection on {}: {}", HostPort.of(address), e.reason());
        } finally {
            ofi.freeinfo(request);
        }
    }

    @Override
    public void failed(int errno) {
        LOGGER.warn("Failed to accept a connection on {}: {}", HostPort.of(address), ofi.strerror(errno));
    }

    @Override
    public void close() {
        if (nic.monitor().inWorker()) {
            abort();
        } else if (nic.monitor().tryExecute(this::abort)) {
            awaitEnd();
        }
    }

    /**
     * Stops handling requests. Closes the endpoint when the other monitors have answered all requests that were passed
     * to them.
     */
    @Override
    public void abort() {
        if (!closed) {
            closed = true;
            nic.domain().events().remove(endpoint);
            endIfClosed();
        }
    }

    private void endIfClosed() {
        if (closed && handedOver == 0) {
            // The events are read now, because the tcp provider would otherwise read a request for this endpoint after
            // the endpoint has been closed and its memory freed.
            nic.domain().events().drain();
            ofi.close(endpoint);
            ofi.freeinfo(info);
            nic.remove(this);
            ended.complete(null);
        }
    }

    /** Waits until the endpoint is closed. Until then, the port cannot be reused. */
    private void awaitEnd() {
        try {
            ended.get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOGGER.warn("The listener on {} did not close within {} ms", HostPort.of(address), CLOSE_TIMEOUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
