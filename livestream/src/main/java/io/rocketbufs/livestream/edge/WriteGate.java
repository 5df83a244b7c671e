package io.rocketbufs.livestream.edge;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import java.util.function.BooleanSupplier;

/**
 * A gate between encryption and the socket. It sends encrypted data only if a check confirms that the original data was
 * still valid after encryption. Otherwise, it discards the encrypted data and closes the connection immediately.
 *
 * <p><b>Thread-safety:</b> the connection's thread. <b>Source:</b> RocketBufs 5, where markers are checked "before or
 * during the course of sending".
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
            // Bypasses the TLS handler, whose close_notify would flush the encrypted data.
            context.close();
        }
    }
}
