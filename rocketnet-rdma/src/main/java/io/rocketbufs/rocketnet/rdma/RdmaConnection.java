package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One endpoint with its two sides, and what is reported of it: each thing once, in order, on the worker.
 *
 * <p>It is made by the monitor, established when the peer has introduced itself, and closed in two steps: its worker
 * gives it up, its monitor takes the endpoint apart.
 *
 * <p><b>Thread-safety:</b> as {@link TransportConnection} says; the rest belongs to the worker but where it says
 * otherwise. <b>Ownership:</b> of the endpoint, its scratch memory, its words and what it has granted.
 *
 * <p><b>Source:</b> RocketBufs 3.5: reliable connections, write-with-immediate.
 */
final class RdmaConnection implements TransportConnection, CompletionTarget {
    /** Bytes of the longest control message, which travels in parts. */
    static final int LONGEST_CONTROL = 16 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(RdmaConnection.class);

    /** A connection that ends well has so long to tell the peer, and to wait for the peer's end. */
    private static final long LINGER_MS = 1_000;

    private static final long RETRY_MS = 1;

    private final RdmaNic nic;
    private final RdmaMember member;
    private final RdmaCompletionQueue queue;
    private final RdmaThread worker;
    private final long endpoint;
    private final RdmaScratch scratch;
    private final RdmaWords words;
    private final RdmaWords.Word receivesWord;
    private final RdmaSendingSide sending;
    private final RdmaReceivingSide receiving;
    private final Map<RemoteAccess, RdmaMemory.Registration> grants = new ConcurrentHashMap<>();
    private final AtomicBoolean retrying = new AtomicBoolean();
    private InetSocketAddress localAddress;
    private InetSocketAddress remoteAddress;
    private TransportHandler handler;
    private boolean announced;
    private boolean accepted;
    private boolean failed;
    private boolean finishReported;
    private boolean closed;
    private boolean lingering;
    private volatile boolean broken;
    private volatile boolean released;

    /**
     * Makes an endpoint that can be connected or accepted, with its receives posted. The monitor's thread.
     *
     * @param info what the endpoint is made of
     */
    RdmaConnection(RdmaNic nic, OfiInfo info) {
        this.nic = nic;
        worker = nic.nextWorker();
        member = nic.join(this, worker);
        try {
            queue = nic.queueFor(member);
        } catch (RuntimeException | Error e) {
            nic.leave(member);
            throw e;
        }
        long opened = 0;
        RdmaScratch memory = null;
        RdmaWords lent = null;
        try {
            opened = nic.openEndpoint(info, queue);
            endpoint = opened;
            memory = new RdmaScratch(nic.scratchPool(), nic.memory(), nic.receives());
            scratch = memory;
            lent = new RdmaWords(nic.wordPool(), nic.memory());
            words = lent;
            receivesWord = words.lend();
            sending = new RdmaSendingSide(this, scratch, receivesWord);
            receiving = new RdmaReceivingSide(this, scratch, sending, nic.receives());
            receiving.postAll();
        } catch (RuntimeException | Error e) {
            takeApart(opened, lent, memory);
            throw e;
        }
    }

    RdmaNic nic() {
        return nic;
    }

    int number() {
        return member.number();
    }

    long endpoint() {
        return endpoint;
    }

    CompletionSink sink() {
        return worker;
    }

    /** Hands on what has arrived, before the end is reported; false if there may be more. The monitor's thread. */
    boolean drain() {
        return released || queue.drain();
    }

    /** What the peer needs to know of this side. */
    RdmaGreeting greeting() {
        return new RdmaGreeting(
                nic.receives(),
                receivesWord.access().address(),
                receivesWord.access().key());
    }

    /** True when the worker has been told to establish this. The monitor's thread. */
    boolean isAnnounced() {
        return announced;
    }

    /** The worker establishes this, before it sees anything of it. The monitor's thread. */
    void announce(Runnable establishing) {
        announced = true;
        worker.inOrder(establishing);
    }

    @Override
    public void beforeCompletion() {
        if (!announced) {
            nic.announce(this);
        }
    }

    /** The peer has introduced itself: hands the connection to its user. */
    void establish(RdmaGreeting peer, TransportAcceptor acceptor, boolean accepted) {
        this.accepted = accepted;
        Ofi ofi = nic.ofi();
        localAddress = RdmaAddress.of(ofi.getname(endpoint));
        remoteAddress = RdmaAddress.of(ofi.getpeer(endpoint));
        sending.peerIs(peer);
        receiving.peerIs(peer);
        handler = Objects.requireNonNull(acceptor.established(this), "the acceptor gave no handler");
        receiving.begin(handler);
    }

    // What core calls.

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public Capabilities capabilities() {
        return nic.capabilities();
    }

    @Override
    public Worker worker() {
        return worker;
    }

    @Override
    public RemoteAccess grant(Region region, long length) {
        RdmaMemory.Registration registration = nic.memory().grant(region, region.address(), length);
        RemoteAccess access = new RemoteAccess(registration.base(), registration.key());
        grants.put(access, registration);
        return access;
    }

    @Override
    public void revoke(RemoteAccess access) {
        RdmaMemory.Registration registration = grants.remove(access);
        if (registration != null) {
            registration.close();
        }
    }

    @Override
    public RemoteBuffer remoteBuffer(RemoteAccess access, long capacity) {
        return new RdmaRemoteBuffer(access, capacity, nic.capabilities().vecsPerWrite());
    }

    @Override
    public PostResult write(WriteRequest request) {
        return broken ? PostResult.CLOSED : sending.write(request);
    }

    @Override
    public PostResult send(ByteBuffer message) {
        return broken ? PostResult.CLOSED : sending.send(message);
    }

    @Override
    public LentWord lendWord() {
        return words.lend();
    }

    @Override
    public PostResult writeWord(RemoteAccess word, long value) {
        return broken ? PostResult.CLOSED : sending.writeWord(word, value);
    }

    @Override
    public int progress() {
        if (!broken) {
            sending.progress();
        }
        return 0;
    }

    /** The NIC reads the memory by itself: it cannot be taken away. */
    @Override
    public int withdraw() {
        return -1;
    }

    @Override
    public void finish() {
        if (!broken) {
            sending.finish();
        }
    }

    /** True when nothing is to be posted any more, not even what the end needs. The worker's thread. */
    boolean isMute() {
        return broken && !lingering;
    }

    /** An operation could not be posted; any thread. */
    void breakOff(String operation, int errno) {
        if (!broken) {
            broken = true;
            String reason = nic.ofi().strerror(errno);
            worker.execute(() -> fail(RdmaFailures.broken(operation, remoteAddress, errno, reason)));
        }
    }

    /** The provider has no room for an operation just now; any thread. */
    void tryAgainSoon() {
        if (retrying.compareAndSet(false, true)) {
            worker.schedule(
                    () -> {
                        retrying.set(false);
                        if (!closed && handler != null) {
                            handler.writable();
                        }
                    },
                    RETRY_MS);
        }
    }

    /** The provider had no room for telling the peer. */
    void tellSoon() {
        worker.schedule(receiving::tell, RETRY_MS);
    }

    // What the monitor finds, on the worker.

    @Override
    public void completion(long context, long flags, long length, long data) {
        boolean arrival = (flags & (OfiConstants.FI_RECV | OfiConstants.FI_REMOTE_WRITE)) != 0;
        if (handler == null || released || arrival && failed) {
            return;
        }
        if (arrival && closed) {
            // Otherwise the endpoint may be closed at any moment, on another thread.
            if (lingering) {
                receiving.lateArrival(context, flags);
            }
            return;
        }
        try {
            receiving.completion(context, flags, length, data);
        } catch (Throwable e) {
            fail(RdmaFailures.handler(remoteAddress, e));
        }
    }

    @Override
    public void batchEnd() {
        if (handler == null || released) {
            return;
        }
        if (closed) {
            lingerOnGuarded();
            return;
        }
        try {
            receiving.batchEnd();
            if (receiving.isPeerFinished() && !finishReported && !failed && !closed) {
                finishReported = true;
                handler.peerFinished();
            }
        } catch (Throwable e) {
            fail(RdmaFailures.handler(remoteAddress, e));
        }
    }

    @Override
    public void operationFailed(int errno) {
        if (lingering) {
            endLingering();
        } else if (!peerIsDone()) {
            fail(RdmaFailures.broken(remoteAddress, errno, nic.ofi().strerror(errno)));
        }
    }

    /** The provider says that the connection is over, after everything that has arrived. */
    void peerGone() {
        if (lingering) {
            endLingering();
        } else if (!peerIsDone()) {
            fail(RdmaFailures.lost(remoteAddress));
        }
    }

    /** The end is no failure when both sides have said all. */
    private boolean peerIsDone() {
        return finishReported && sending.hasBegunToFinish();
    }

    void fail(TransportException cause) {
        if (failed || closed || handler == null) {
            return;
        }
        failed = true;
        broken = true;
        try {
            handler.failed(cause);
        } catch (Throwable e) {
            LOGGER.error("{}: the handler of a failure failed itself", remoteAddress, e);
        }
    }

    /** The transport is closed. */
    void abort() {
        if (lingering) {
            endLingering();
        } else {
            fail(RdmaFailures.closed("use connection to", remoteAddress));
        }
    }

    @Override
    public void close() {
        assert worker.inWorker() : "close() belongs to the worker";
        if (closed) {
            endLingering();
            return;
        }
        closed = true;
        if (mustLinger() && !broken) {
            broken = true;
            lingering = true;
            worker.schedule(this::endLingering, LINGER_MS);
            handler.closed();
            // What has come meanwhile may suffice.
            lingerOnGuarded();
        } else {
            broken = true;
            release(handler::closed);
        }
    }

    /**
     * What is said last has to leave. And with some providers, who closes first resets the connection if something has
     * arrived that nobody reads any more, and the peer loses what was on its way. So the side that connected goes
     * first, and it does so when it has heard the other's end.
     */
    private boolean mustLinger() {
        return sending.isFinishing() || peerIsDone() && accepted;
    }

    /** The user has closed and hears of no failure any more, so a failure only ends the wait. */
    private void lingerOnGuarded() {
        try {
            lingerOn();
        } catch (RuntimeException | Error e) {
            LOGGER.warn("{}: closed at once: {}", this, e.toString());
            endLingering();
        }
    }

    private void lingerOn() {
        if (!lingering) {
            return;
        }
        receiving.lateBatchEnd();
        sending.progress();
        if (!mustLinger()) {
            endLingering();
        }
    }

    private void endLingering() {
        if (lingering) {
            lingering = false;
            release(() -> {});
        }
    }

    /** Gives everything back, on the monitor's thread, and then goes on here. */
    private void release(Runnable then) {
        if (nic.monitor().inWorker()) {
            releaseNow();
            then.run();
            return;
        }
        boolean taken = nic.monitor().tryExecute(() -> {
            releaseNow();
            worker.execute(then);
        });
        if (!taken) {
            // It has ended, and with it everything was released.
            then.run();
        }
    }

    /** The monitor's thread. */
    void releaseNow() {
        if (!released) {
            released = true;
            broken = true;
            nic.forget(this);
            takeApart(endpoint, words, scratch);
        }
    }

    private void takeApart(long opened, RdmaWords lent, RdmaScratch memory) {
        if (opened != 0) {
            nic.closeEndpoint(opened);
        }
        if (lent != null) {
            lent.close();
        }
        if (memory != null) {
            memory.close();
        }
        nic.release(queue, member);
        nic.leave(member);
    }

    @Override
    public String toString() {
        return "rdma " + localAddress + " -> " + remoteAddress;
    }
}
