package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribeLayout;
import io.rocketbufs.wire.SubscribedLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * One connection of a {@link SinkTransport} with a simulated peer. The peer consumes data immediately and reports its
 * position every 256 KiB.
 */
final class SinkConnection implements TransportConnection {
    static final int PUBLISHER = 1;
    static final int SUBSCRIBER = 2;

    private static final int CREDIT_STEP = 256 * 1024;
    private static final RemoteAccess WORD = new RemoteAccess(1, 1);

    private final SinkTransport transport;
    private final Vecs placed = new Vecs(4);
    private final ByteBuffer message = ByteBuffer.allocateDirect(1024);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final Worker worker = new SinkWorker();
    private TransportHandler handler;
    private boolean full;
    private boolean running;
    private long written;
    private long credited;
    private SinkWord word;
    private long heardPosition;

    SinkConnection(SinkTransport transport) {
        this.transport = transport;
    }

    void establish(TransportAcceptor acceptor) {
        handler = acceptor.established(this);
    }

    // The simulated peer.

    void sayHello(int role) {
        ByteBuffer hello = ControlLayout.begin(message, ControlType.HELLO, 0);
        HelloLayout.put(hello, role, 2000, new byte[0]);
        handler.control(ControlLayout.end(hello));
        worker.execute(() -> {});
    }

    void subscribe(int bufferId, int tag, long capacity) {
        ByteBuffer subscribe = ControlLayout.begin(message, ControlType.SUBSCRIBE, tag);
        SubscribeLayout.putIds(subscribe, bufferId, tag);
        SubscribeLayout.putLimits(subscribe, capacity, CREDIT_STEP, 0, 0);
        SubscribeLayout.putAccess(subscribe, 0, 0);
        SubscribeLayout.putStart(subscribe, -1, 0);
        SubscribeLayout.putIdentity(subscribe, 0);
        handler.control(ControlLayout.end(subscribe));
        worker.execute(() -> {});
    }

    void acceptSubscription(int tag) {
        ByteBuffer body = ControlLayout.begin(message, ControlType.SUBSCRIBED, 0);
        SubscribedLayout.putKind(body, tag, false, false);
        SubscribedLayout.putWord(body, WORD.address(), WORD.key());
        SubscribedLayout.putPositions(body, 0, 0);
        handler.control(ControlLayout.end(body));
        worker.execute(() -> {});
    }

    void sayApplication(ByteBuffer said) {
        handler.control(ControlLayout.end(
                ControlLayout.begin(message, ControlType.APPLICATION, 0).put(said)));
        worker.execute(() -> {});
    }

    /** Simulates the arrival of a transfer. Its bytes are the current contents of the memory. */
    void arrive(int tag, int length) {
        placed.clear();
        int immediate = ImmediateLayout.data(tag, false);
        handler.place(immediate, length, placed);
        handler.arrived(immediate, length);
    }

    /** Simulates the arrival of a transfer with the given bytes, which must not extend past the end of the buffer. */
    void arrive(int tag, byte[] bytes) {
        placed.clear();
        int immediate = ImmediateLayout.data(tag, false);
        handler.place(immediate, bytes.length, placed);
        placed.window(0).put(placed.offset(0), bytes);
        handler.arrived(immediate, bytes.length);
    }

    void arrivalsEnd() {
        handler.arrivalsEnd();
    }

    /**
     * Sets whether the connection is full. While it is full, it accepts no writes; otherwise, it accepts every write.
     */
    void setFull(boolean full) {
        this.full = full;
        if (!full) {
            handler.writable();
        }
    }

    long written() {
        return written;
    }

    /** Returns the consumed position that was last reported to this peer. */
    long heardPosition() {
        return heardPosition;
    }

    /** Reports all written data as consumed. */
    private void giveCredit(int tag) {
        credited = written;
        if (word != null) {
            word.value = credited;
            return;
        }
        ByteBuffer body = ControlLayout.begin(message, ControlType.CREDIT, 0);
        PositionLayout.put(body, tag, credited);
        handler.control(ControlLayout.end(body));
    }

    // The transport.

    @Override
    public PostResult write(WriteRequest request) {
        if (full) {
            return PostResult.NO_WINDOW;
        }
        written += request.vecs().totalLength();
        if (written - credited >= CREDIT_STEP) {
            giveCredit(ImmediateLayout.tag(request.immediate()));
        }
        return PostResult.SENT;
    }

    @Override
    public PostResult send(ByteBuffer control) {
        if (ControlType.of(ControlLayout.typeCode(control)) == ControlType.CREDIT) {
            int start = control.position();
            heardPosition = PositionLayout.position(control.position(start + ControlLayout.HEADER_LENGTH));
            control.position(start);
        }
        return PostResult.SENT;
    }

    @Override
    public LentWord lendWord() {
        word = new SinkWord();
        return word;
    }

    @Override
    public PostResult writeWord(RemoteAccess into, long value) {
        heardPosition = value;
        return PostResult.SENT;
    }

    @Override
    public int progress() {
        return 0;
    }

    @Override
    public int withdraw() {
        return 0;
    }

    @Override
    public void finish() {
        // There is no peer to notify.
    }

    @Override
    public void close() {
        handler.closed();
    }

    @Override
    public InetSocketAddress localAddress() {
        return SinkTransport.ADDRESS;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return SinkTransport.ADDRESS;
    }

    @Override
    public Capabilities capabilities() {
        return transport.capabilities();
    }

    @Override
    public Worker worker() {
        return worker;
    }

    @Override
    public RemoteAccess grant(Region region, long offset, long length) {
        return RemoteAccess.NONE;
    }

    @Override
    public void revoke(RemoteAccess access) {
        // No access was granted.
    }

    @Override
    public RemoteBuffer remoteBuffer(RemoteAccess access, long capacity) {
        return new RemoteBuffer(access, capacity);
    }

    /** A word that core lends to the simulated peer. The peer reports its consumed position in this word. */
    private static final class SinkWord implements LentWord {
        private volatile long value;

        @Override
        public RemoteAccess access() {
            return WORD;
        }

        @Override
        public long value() {
            return value;
        }

        @Override
        public void takeBack() {
            // No other connection uses the word.
        }
    }

    /** A worker that runs tasks on the benchmark's thread, one after another. It has no timers. */
    private final class SinkWorker implements Worker {
        @Override
        public boolean inWorker() {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
            for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                next.run();
            }
            running = false;
        }

        @Override
        public Future<?> schedule(Runnable task, long delayMs) {
            return new CompletableFuture<Void>();
        }
    }
}
