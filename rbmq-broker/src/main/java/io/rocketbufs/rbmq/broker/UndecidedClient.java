package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.ControlMessageCallback;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A client that has been offered other listeners and has not decided yet. It may send only its answer to the offers. It
 * counts towards its user's limits only until it announces that it is leaving, so that the limits always admit the
 * connection that replaces this one.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class UndecidedClient implements ControlMessageCallback {
    private final Connection connection;
    private final CompletableFuture<Void> counted;
    private final Consumer<String> onStay;
    private boolean hasAnswered;

    /**
     * Creates a client that has not answered.
     *
     * @param counted completed when the client no longer counts towards the limits
     * @param onStay called with the client's reason when it keeps this connection
     */
    UndecidedClient(Connection connection, CompletableFuture<Void> counted, Consumer<String> onStay) {
        this.connection = connection;
        this.counted = counted;
        this.onStay = onStay;
    }

    @Override
    public void onControlMessage(ByteBuffer message) {
        RbmqType type = RbmqMessage.type(message);
        if (hasAnswered) {
            // A client that has announced its departure no longer counts towards the limits, so it must not stay after
            // all.
            throw RbmqLayout.violation("the client sent " + type + " after it had answered OFFERS");
        }
        hasAnswered = true;
        if (type == RbmqType.STAY) {
            onStay.accept(NoticeLayout.text(message));
        } else if (type == RbmqType.LEAVE) {
            counted.complete(null);
            connection.close();
        } else {
            throw RbmqLayout.violation("the client sent " + type + " as the answer to OFFERS");
        }
    }
}
