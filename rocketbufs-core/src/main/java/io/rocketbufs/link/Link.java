package io.rocketbufs.link;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.Reason;
import java.nio.ByteBuffer;

/**
 * The parts of a connection that a protocol uses: its {@link Sender}, its worker, its peer's address, and the means to
 * end the connection.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class Link {
    private final TransportConnection connection;
    private final LinkOwner owner;
    private final Sender sender;
    private final ConnectionCredit credit;
    private final String peer;

    /**
     * Creates the link of an established connection.
     *
     * @param creditLength credit of the connection as a whole, in bytes
     */
    public Link(TransportConnection connection, LinkOwner owner, long creditLength) {
        this.connection = connection;
        this.owner = owner;
        this.peer = HostPort.numeric(connection.remoteAddress());
        this.credit = new ConnectionCredit(creditLength);
        this.sender = new Sender(connection, owner::sendingFinished, connection::close, this::sendingFailed);
    }

    private void sendingFailed(Throwable e) {
        // As in the backends, a bug in this program has the code PROTOCOL, by which isInternal() recognizes it.
        TransportException.Code code =
                e instanceof TransportException known ? known.code() : TransportException.Code.PROTOCOL;
        fail(new TransportException(code, "sending to " + peer + " failed: " + Reason.of(e), e));
    }

    /** Returns the transport's connection. */
    public TransportConnection connection() {
        return connection;
    }

    /** Returns the transport's capabilities. */
    public Capabilities capabilities() {
        return connection.capabilities();
    }

    /** Returns the sending side. */
    public Sender sender() {
        return sender;
    }

    /** Returns the credit of the connection as a whole. */
    public ConnectionCredit credit() {
        return credit;
    }

    /** Returns the worker of this connection. */
    public Worker worker() {
        return connection.worker();
    }

    /** Returns the peer's address and port, for use in log and error messages. */
    public String peer() {
        return peer;
    }

    /** Ends the connection immediately. */
    public void fail(TransportException cause) {
        owner.fail(cause);
    }

    /** Ends the connection for a local reason and sends the reason to the peer. */
    public void disconnect(String reason) {
        owner.disconnect(reason);
    }

    /**
     * Sends a control message requested by the application or a timer.
     *
     * @throws TransportException with code RESOURCES if too many bytes of requests are already waiting; in this case,
     *     this method has no effect
     */
    public void request(ByteBuffer message) {
        if (!sender.sendControl(message, ControlQueue.REQUEST_LIMIT)) {
            throw tooMuch(ControlQueue.REQUEST_LIMIT);
        }
    }

    /**
     * Sends a control message that is redundant while other messages are waiting, such as a heartbeat. The message is
     * dropped if too many bytes of requests are waiting.
     */
    public void offer(ByteBuffer message) {
        sender.sendControl(message, ControlQueue.REQUEST_LIMIT);
    }

    /**
     * Sends a control message in response to the peer. Disconnects a peer that sends requests without reading the
     * answers.
     */
    public void answer(ByteBuffer message) {
        if (!sender.sendControl(message, ControlQueue.ANSWER_LIMIT)) {
            fail(tooMuch(ControlQueue.ANSWER_LIMIT));
        }
    }

    /**
     * Invokes a callback once the transport has accepted all control messages sent so far. After the end of the
     * connection, the callback is not invoked.
     *
     * @param callback called once, on any sending thread; must do no more than hand work to a worker
     */
    public void afterControl(Runnable callback) {
        sender.start(new AfterControl(callback));
    }

    private TransportException tooMuch(int limit) {
        return new TransportException(
                TransportException.Code.RESOURCES,
                "more than " + limit + " bytes of control messages are waiting to be sent to " + peer);
    }
}
