package io.rocketbufs.contract;

import com.typesafe.config.Config;
import io.rocketbufs.Connection;
import io.rocketbufs.ConnectionCallback;
import io.rocketbufs.Role;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import java.util.concurrent.CompletableFuture;

/**
 * A publisher, a broker that splices the publisher's buffers under their original ids, and subscribers of the broker.
 */
final class SpliceFixture {
    static final BufferOptions OVERWRITING = BufferOptions.DEFAULTS.withFlowControl(false);

    private static final int NEIGHBOUR_LENGTH = 1 << 20;

    private final Stage stage;
    private final Node publishing;
    private final Node broker;
    private final Node subscribing;
    private final Inbox upstream;
    private final Connection toBroker;

    /** Opens three nodes with short timer intervals, and connects the publisher. */
    SpliceFixture(Stage stage) {
        this(stage, Stage.hasty());
    }

    /** Opens three nodes with the given configuration, and connects the publisher. */
    SpliceFixture(Stage stage, Config config) {
        this(stage, config, config);
    }

    /**
     * Opens three nodes, of which the publisher and the broker may have different time limits, and connects the
     * publisher. The subscriber has the publisher's configuration.
     */
    SpliceFixture(Stage stage, Config config, Config ofBroker) {
        this.stage = stage;
        publishing = stage.node(config);
        broker = stage.broker(ofBroker);
        subscribing = stage.subscriber(config);
        CompletableFuture<Inbox> accepted = new CompletableFuture<>();
        toBroker = connect(publishing, connection -> accepted.complete(broker.inbox(connection)));
        upstream = Stage.get(accepted);
    }

    /** Connects another publisher; the test determines the broker's action on the connection. */
    Connection connect(Node publisher, ConnectionCallback atBroker) {
        broker.onConnection(connection -> {
            if (connection.role() == Role.PUBLISHER) {
                atBroker.onConnection(connection);
            }
        });
        return publisher.connect(broker, Role.PUBLISHER, publisher.out()::addConnection);
    }

    Node publishing() {
        return publishing;
    }

    Node broker() {
        return broker;
    }

    /** Returns the node that {@link #subscriber} connects to the broker. */
    Node subscribing() {
        return subscribing;
    }

    /** Returns the broker's inbox for the publisher's data. */
    Inbox upstream() {
        return upstream;
    }

    /** Returns the publisher's side of its connection to the broker. */
    Connection toBroker() {
        return toBroker;
    }

    /** Creates a buffer on the publisher. The seed of its pattern is the buffer's id. */
    Sent publish(int id, long capacity, BufferOptions options) {
        publishing.out().createBuffer(id, capacity, options);
        return new Sent(publishing.out(), id, id);
    }

    /**
     * Subscribes the broker to a buffer of the publisher and splices the buffer. Returns the data that the broker
     * receives.
     */
    Received splice(int id, long capacity, BufferOptions options) {
        return splice(id, capacity, SubscribeOptions.DEFAULTS.withFlowControl(true), options);
    }

    /**
     * Subscribes the broker with the given options and splices the buffer. Returns the data that the broker receives.
     */
    Received splice(int id, long capacity, SubscribeOptions wishes, BufferOptions options) {
        Received arriving = upstream.of(id).seed(id).spliced().subscribe(capacity, wishes);
        broker.out().splice(upstream.in(), id, id, options);
        return arriving;
    }

    /**
     * Splices a buffer that is located between two others in the broker's memory. These other two buffers contain
     * different bytes.
     */
    Received spliceBetweenNeighbours(int id, long capacity, BufferOptions options) {
        createNeighbour(id + 1000);
        Received arriving = splice(id, capacity, options);
        createNeighbour(id + 2000);
        return arriving;
    }

    private void createNeighbour(int id) {
        broker.out().createBuffer(id, NEIGHBOUR_LENGTH);
        new Sent(broker.out(), id, id).deliver(NEIGHBOUR_LENGTH);
    }

    /** Connects a subscriber to the broker. */
    Inbox subscriber() {
        return subscribing.inbox(broker);
    }

    /**
     * Opens another node that is a subscriber of the broker. The test determines how the subscriber receives a buffer.
     */
    Received elsewhere(int id) {
        return stage.subscriber(Stage.hasty()).inbox(broker).of(id).seed(id);
    }

    /** Connects a subscriber that has not subscribed yet. The test determines how it receives a buffer. */
    Received of(int id) {
        return subscriber().of(id).seed(id);
    }

    /** Connects a subscriber of a spliced buffer. It consumes data immediately. */
    Received subscribe(int id, long capacity) {
        return of(id).subscribe(capacity);
    }

    /** Connects a subscriber of a spliced buffer. It consumes data only on request. */
    Received hold(int id, long capacity) {
        return of(id).holding().subscribe(capacity);
    }
}
