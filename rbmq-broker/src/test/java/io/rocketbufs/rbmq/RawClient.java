package io.rocketbufs.rbmq;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rbmq.protocol.AnnounceLayout;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.InterestLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client that sends any data that a test specifies, including protocol violations. */
public final class RawClient {
    private static final Set<RbmqType> NOT_NOTICES =
            EnumSet.of(RbmqType.BUFFERS_ADDED, RbmqType.TOPIC_BUFFERS, RbmqType.SLOW, RbmqType.KEPT);

    private final BlockingQueue<String> notices = new LinkedBlockingQueue<>();
    private final List<Integer> interest = new CopyOnWriteArrayList<>();
    private final Map<Integer, Integer> lastInterest = new ConcurrentHashMap<>();
    private final CompletableFuture<Welcome> welcome = new CompletableFuture<>();
    private final CompletableFuture<Throwable> closed = new CompletableFuture<>();
    private final Connection connection;
    private final ROut out;

    /** Connects with the given greeting. */
    public RawClient(RocketBufs rocketBufs, InetSocketAddress broker, Role role, byte[] greeting) throws Exception {
        out = new ROut(rocketBufs);
        ConnectOptions options = ConnectOptions.as(role, this::attach).withGreeting(greeting);
        connection = rocketBufs.connect(broker, options).get(60, TimeUnit.SECONDS);
    }

    /** Connects like a well-behaved client. */
    public RawClient(RunningBroker running, Role role) throws Exception {
        this(running.clients(), running.address(), role, GreetingLayout.write("raw", ""));
    }

    private void attach(Connection established) {
        out.addConnection(established);
        established.setControlMessageCallback(this::note);
        established.setCloseCallback(closed::complete);
    }

    private void note(ByteBuffer message) {
        RbmqType type = RbmqMessage.type(message);
        if (type == RbmqType.WELCOME) {
            welcome.complete(WelcomeLayout.read(message));
            return;
        }
        if (type == RbmqType.INTEREST) {
            interest.add(InterestLayout.subscriberCount(message));
            lastInterest.put(InterestLayout.bufferId(message), InterestLayout.subscriberCount(message));
            return;
        }
        boolean isNotice = !NOT_NOTICES.contains(type);
        notices.add(isNotice ? type + " " + NoticeLayout.text(message) : type.toString());
    }

    /** Creates a buffer that keeps delivered data until a subscriber joins. */
    public void createBuffer(int bufferId, long capacity) {
        out.createBuffer(bufferId, capacity, BufferOptions.DEFAULTS.withHold(true));
    }

    /** Removes a buffer, so that the broker receives END. */
    public void removeBuffer(int bufferId) {
        out.removeBuffer(bufferId);
    }

    /** Announces a topic. */
    public void announce(int bufferId, long capacity, String topic) {
        send(AnnounceLayout.write(bufferId, capacity, topic));
    }

    /** Delivers bytes unchanged, in one piece. */
    public void deliver(int bufferId, byte... bytes) {
        Segment segment = out.getOutputSegment(bufferId, bytes.length, true);
        segment.put(0, bytes, 0, bytes.length);
        out.deliver(segment, bytes.length);
    }

    /** Sends a control message unchanged. */
    public void send(ByteBuffer message) {
        connection.sendControlMessage(message);
    }

    /** Sends a control message unchanged. */
    public void send(int... bytes) {
        ByteBuffer message = ByteBuffer.allocate(bytes.length);
        for (int each : bytes) {
            message.put((byte) each);
        }
        send(message.flip());
    }

    /** Returns the type and the text of the broker's next message. */
    public String nextNotice() throws InterruptedException {
        return notices.poll(60, TimeUnit.SECONDS);
    }

    /** Returns the subscriber counts that the broker has reported so far. */
    public List<Integer> interest() {
        return interest;
    }

    /** Returns the subscriber count that the broker has most recently reported for each buffer, by buffer id. */
    public Map<Integer, Integer> lastInterest() {
        return lastInterest;
    }

    /** Returns the broker's first message. */
    public Welcome welcome() throws Exception {
        return welcome.get(60, TimeUnit.SECONDS);
    }

    /** Waits until the broker has closed the connection. Returns the reason. */
    public Throwable awaitCut() throws Exception {
        return closed.get(60, TimeUnit.SECONDS);
    }

    /** Returns the connection. */
    public Connection connection() {
        return connection;
    }
}
