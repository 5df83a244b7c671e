package io.rocketbufs.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class PageThreadsTest {
    private static final int THREADS = 8;
    private static final int WAITING = 256;

    private final CountDownLatch released = new CountDownLatch(1);
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    private final LocalAddress address = new LocalAddress(PageThreadsTest.class);
    private final ChannelHandlerContext context;
    private final PageThreads threads = new PageThreads("pages");
    private final Queue<Integer> statuses = new ConcurrentLinkedQueue<>();
    private final AtomicInteger made = new AtomicInteger();

    PageThreadsTest() {
        new ServerBootstrap()
                .group(loops)
                .channel(LocalServerChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter())
                .bind(address)
                .syncUninterruptibly();
        context = new Bootstrap()
                .group(loops)
                .channel(LocalChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address)
                .syncUninterruptibly()
                .channel()
                .pipeline()
                .firstContext();
    }

    @AfterEach
    void close() {
        released.countDown();
        threads.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void shouldRespondImmediatelyWhenTooManyRequestsWait() {
        for (int i = 0; i < THREADS + WAITING; i++) {
            threads.make(context, this::awaitRelease, page -> statuses.add(page.status()));
        }
        threads.make(context, this::awaitRelease, page -> statuses.add(page.status()));
        await().untilAsserted(() -> assertThat(statuses).containsExactly(503));

        released.countDown();
        await().until(() -> statuses.size() == THREADS + WAITING + 1);
        assertThat(statuses.stream().filter(status -> status == 200)).hasSize(THREADS + WAITING);
    }

    @Test
    void shouldNotCreateAPageWhenTheConnectionHasClosed() {
        for (int i = 0; i < THREADS + 3; i++) {
            threads.make(context, this::awaitRelease, page -> statuses.add(page.status()));
        }
        await().until(() -> made.get() == THREADS);
        context.channel().close().syncUninterruptibly();
        released.countDown();

        await().until(() -> statuses.size() == THREADS + 3);
        assertThat(made).hasValue(THREADS);
    }

    @Test
    void shouldReportAPageThatFailsWithAnError() {
        threads.make(
                context,
                () -> {
                    throw new AssertionError("on purpose");
                },
                page -> statuses.add(page.status()));

        await().untilAsserted(() -> assertThat(statuses).containsExactly(500));
    }

    private Page awaitRelease() {
        made.incrementAndGet();
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Page.text(200, "slow");
    }
}
