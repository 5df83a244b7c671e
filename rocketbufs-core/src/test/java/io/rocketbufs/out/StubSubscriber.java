package io.rocketbufs.out;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.StubOwner;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.PositionLayout;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A subscription on a separate stub connection without a peer. Records the data that is sent to the subscriber. */
public final class StubSubscriber implements StubOwner {
    public final StubConnection connection;
    public final Session endpoint;
    public final Outputs outputs;
    public final List<ControlType> controls = new ArrayList<>();
    public final List<Long> asked = new ArrayList<>();
    public final List<Integer> writeLengths = new ArrayList<>();
    public final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    public PostResult answer = PostResult.SENT;
    private int writesLeft = Integer.MAX_VALUE;
    public Subscription subscription;
    public Throwable failure;

    public StubSubscriber(MemoryPool pool, StubWorker worker) {
        this(pool, worker, Integer.MAX_VALUE);
    }

    public StubSubscriber(MemoryPool pool, StubWorker worker, int longestWrite) {
        this(pool, worker, StubTransport.socket(longestWrite));
    }

    public StubSubscriber(MemoryPool pool, StubWorker worker, Capabilities capabilities) {
        this(pool, worker, capabilities, 64 << 20);
    }

    /** Creates a subscriber whose connection has the given amount of credit. */
    public StubSubscriber(MemoryPool pool, StubWorker worker, Capabilities capabilities, long creditLength) {
        connection = new StubConnection(worker, capabilities, 7);
        endpoint = new Session(connection, this, StubOwner.settings(creditLength), pool);
        outputs = new Outputs(1, pool, () -> false);
        endpoint.sendFrom(outputs, SubscribePermission.ALL, null);
        connection.handledBy(endpoint);
        connection.onWrite(this::written);
        connection.onSend(this::sent);
        endpoint.greet(1, new byte[0]);
    }

    /** Subscribes with a buffer of the given capacity, the policy BLOCK and no separate transfer limit. */
    public StubSubscriber to(Fanout fanout, long capacity) {
        return to(fanout, capacity, SlowPolicy.BLOCK);
    }

    public StubSubscriber to(Fanout fanout, long capacity, SlowPolicy policy) {
        return to(fanout, capacity, policy, Start.LIVE);
    }

    public StubSubscriber to(Fanout fanout, long capacity, SlowPolicy policy, Start start) {
        return to(fanout, capacity, policy, start, 0);
    }

    public StubSubscriber to(Fanout fanout, long capacity, SlowPolicy policy, Start start, long identity) {
        subscription = fanout.subscribe(
                endpoint.link(),
                new SubscriptionTerms(
                        3,
                        connection.remoteBuffer(RemoteAccess.NONE, capacity),
                        capacity,
                        Integer.MAX_VALUE,
                        policy,
                        false,
                        start,
                        identity,
                        500,
                        () -> {}));
        subscription.activate();
        return this;
    }

    /** Accepts nothing after this call, until {@link #goOn} is called. */
    public StubSubscriber stopped() {
        answer = PostResult.NO_WINDOW;
        return this;
    }

    /** Accepts the given number of writes, and then nothing until {@link #goOn} is called. */
    public void stopAfter(int writes) {
        writesLeft = writes;
    }

    /** Accepts everything again, and sends the pending data. */
    public void goOn() {
        answer = PostResult.SENT;
        writesLeft = Integer.MAX_VALUE;
        endpoint.writable();
        connection.worker().run();
    }

    /** Reports all sent data as consumed. */
    public void consumeAll() {
        subscription.onCredit(subscription.state().sentLength());
    }

    private PostResult written(WriteRequest request) {
        if (writesLeft-- <= 0) {
            return PostResult.NO_WINDOW;
        }
        if (answer == PostResult.SENT || answer == PostResult.POSTED) {
            writeLengths.add((int) request.vecs().totalLength());
            for (int i = 0; i < request.vecs().count(); i++) {
                byte[] copy = new byte[request.vecs().length(i)];
                request.vecs().window(i).get(request.vecs().offset(i), copy);
                bytes.writeBytes(copy);
            }
        }
        return answer;
    }

    private PostResult sent(ByteBuffer message) {
        if (answer == PostResult.NO_WINDOW) {
            return answer;
        }
        ControlType type = ControlType.of(ControlLayout.typeCode(message));
        controls.add(type);
        if (type == ControlType.STARVING || type == ControlType.FLUSH) {
            asked.add(PositionLayout.position(message.duplicate().position(ControlLayout.HEADER_LENGTH)));
        }
        return PostResult.SENT;
    }

    @Override
    public void closed(Throwable failure) {
        this.failure = failure;
    }
}
