package io.rocketbufs.livestream.edge;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import java.util.function.BooleanSupplier;

/**
 * A gate between encryption and the socket. Encrypted data is sent only if a check then confirms that its source was
 * valid when it was encrypted. Otherwise the data is discarded and the connection closes immediately.
 *
 * <p><b>Thread-safety:</b> the connection's thread. <b>Source:</b> RocketBufs 5, markers are checked "before or during
 * the course of sending".
 */
final class WriteGate extends ChannelOutboundHandlerAdapter {
    private BooleanSupplier check;

    /** Enables the check for all subsequent flushes. */
    void arm(BooleanSupplier newCheck) {
        check = newCheck;
    }

    /** Disables the check. */
    void disarm() {
        check = null;
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        if (check == null || check.getAsBoolean()) {
            context.flush();
        } else {
            // Bypasses TLS, whose close_notify would be a flush.
            context.close();
        }
    }
}
