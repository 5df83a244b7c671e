package io.rocketbufs.livestream.edge;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import java.util.function.BooleanSupplier;

/**
 * Stands between encryption and the socket. What is encrypted is sent only if a check says then that it was good when
 * it was encrypted; otherwise the connection closes at once, and what has been encrypted is thrown away.
 *
 * <p><b>Thread-safety:</b> the connection's thread. <b>Source:</b> RocketBufs 5, markers are checked "before or during
 * the course of sending".
 */
final class WriteGate extends ChannelOutboundHandlerAdapter {
    private BooleanSupplier check;

    /** Has everything checked that is flushed from now on. */
    void arm(BooleanSupplier newCheck) {
        check = newCheck;
    }

    /** Has nothing checked from now on. */
    void disarm() {
        check = null;
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        if (check == null || check.getAsBoolean()) {
            context.flush();
        } else {
            // Past TLS, whose close_notify would be a flush.
            context.close();
        }
    }
}
