package io.rocketbufs.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class LingeringCloseTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private int arrived;

    private final ChannelInboundHandlerAdapter server = new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            arrived++;
        }
    };

    LingeringCloseTest() {
        channel.freezeTime(); // prevents the connection from closing if the test takes longer than the delay
        channel.pipeline().addLast(TlsIdentity.HANDLER, new ChannelInboundHandlerAdapter());
        channel.pipeline().addLast(server);
        LingeringClose.after(channel.pipeline().context(server), channel.newSucceededFuture());
    }

    @Test
    void shouldStopReadingWhenAClientKeepsSending() {
        ByteBuf piece = Unpooled.wrappedBuffer(new byte[64 * 1024]);
        for (int i = 0; i < 4; i++) {
            channel.writeInbound(piece.retainedDuplicate());
            assertThat(channel.config().isAutoRead()).isTrue();
        }
        channel.writeInbound(piece.retainedDuplicate());

        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(arrived).isZero();
        assertThat(piece.refCnt()).as("everything was released").isEqualTo(1);
    }

    @Test
    void shouldCloseShortlyAfterTheResponse() {
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();
        channel.advanceTimeBy(2, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();

        assertThat(channel.isOpen()).isFalse();
    }
}
