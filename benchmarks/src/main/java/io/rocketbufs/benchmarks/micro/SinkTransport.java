package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.Worker;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A transport without a network: written data is counted and dropped, and the benchmark generates arriving data. All
 * code runs on the benchmark's thread, so only core is measured.
 */
final class SinkTransport implements Transport {
    static final String NAME = "sink";
    static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 1);

    private final int role;
    private final Capabilities capabilities;
    private TransportAcceptor acceptor;
    private SinkConnection connected;
    private ByteBuffer introduction;

    /**
     * Creates a transport for connections with the given role. The greetings of their simulated peers contain the same
     * role.
     */
    SinkTransport(int role) {
        this(role, false);
    }

    /** Creates a transport. If {@code words} is true, consumed positions can also be reported by writing to words. */
    SinkTransport(int role, boolean words) {
        this.role = role;
        this.capabilities = Capabilities.builder()
                .immediateBits(Integer.SIZE)
                .receiverPlaces(true)
                .lengthWithArrival(true)
                .connectionWithArrival(true)
                .vecsPerWrite(16)
                .longestWrite(256 * 1024)
                .longestControl(16 * 1024)
                .ordered(true)
                .remoteCpu(true)
                .withdraws(true)
                .operations(words ? Set.of(Operation.values()) : Set.of(Operation.WRITE_WITH_IMMEDIATE, Operation.SEND))
                .build();
    }

    /** Makes the peers to which this side connects send a message right after their greeting, as a broker does. */
    void introducePeers(ByteBuffer message) {
        introduction = message;
    }

    /** Accepts a connection from a simulated peer. */
    SinkConnection accept() {
        SinkConnection connection = new SinkConnection(this);
        connection.establish(acceptor);
        return connection;
    }

    /** Returns the latest connection opened by this side. Its peer has already sent its greeting. */
    SinkConnection connected() {
        return connected;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public String detail() {
        return "no network";
    }

    @Override
    public TransportListener listen(InetSocketAddress address, TransportAcceptor listening) {
        acceptor = listening;
        return new TransportListener() {
            @Override
            public InetSocketAddress address() {
                return ADDRESS;
            }

            @Override
            public void close() {
                acceptor = null;
            }
        };
    }

    @Override
    public CompletableFuture<TransportConnection> connect(InetSocketAddress address, TransportAcceptor connecting) {
        connected = new SinkConnection(this);
        connected.establish(connecting);
        connected.sayHello(role);
        if (introduction != null) {
            connected.sayApplication(introduction.duplicate());
        }
        return CompletableFuture.completedFuture(connected);
    }

    @Override
    public List<Worker> workers() {
        return List.of();
    }

    @Override
    public void close() {
        acceptor = null;
    }
}
