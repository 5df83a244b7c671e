package io.rocketbufs.livestream.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * A client that opens TLS connections for thousands of emulated sources and viewers. It accepts every certificate,
 * because the viewers check the contents of the chunks.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its threads.
 */
final class HttpsClient implements AutoCloseable {
    private static final int MAX_BODY = 64 << 20;
    private static final int CONNECT_MS = 10_000;

    private final EventLoopGroup threads;
    private final SslContext tls;

    HttpsClient(String name, int threadCount) {
        threads = new MultiThreadIoEventLoopGroup(
                threadCount, new DefaultThreadFactory("livestream-" + name, true), EpollIoHandler.newFactory());
        try {
            tls = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.OPENSSL)
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A listener for a connection's events. Its methods are called on the connection's thread. */
    interface HttpsListener {
        /** Called when the connection is established. */
        void connected(HttpsConnection connection);

        /** Called when a complete response has arrived. */
        void answered(int status, byte[] body);

        /** Called when the connection has ended or could not be established. */
        void lost(String why);
    }

    /** Connects to a server, and reports the outcome to the listener. */
    void connect(InetSocketAddress server, HttpsListener listener) {
        new Bootstrap()
                .group(threads)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(tls.newHandler(channel.alloc(), server.getHostString(), server.getPort()))
                                .addLast(new HttpClientCodec())
                                .addLast(new HttpObjectAggregator(MAX_BODY))
                                .addLast(new HttpsConnection(channel, listener));
                    }
                })
                .connect(server)
                .addListener(done -> {
                    if (!done.isSuccess()) {
                        listener.lost(done.cause().getMessage());
                    }
                });
    }

    /** Runs a task after a delay in milliseconds on any of this client's threads. */
    void retry(Runnable task, long delayMs) {
        if (!threads.isShuttingDown()) {
            threads.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void close() {
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** A connection to a server. <b>Thread-safety:</b> the connection's thread. */
    static final class HttpsConnection extends SimpleChannelInboundHandler<FullHttpResponse> {
        private final Channel channel;
        private final HttpsListener listener;
        private String failure = "closed by the server";

        HttpsConnection(Channel channel, HttpsListener listener) {
            this.channel = channel;
            this.listener = listener;
        }

        /** Requests a page. */
        void get(String host, String path) {
            DefaultFullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
            request.headers().set(HttpHeaderNames.HOST, host);
            channel.writeAndFlush(request);
        }

        /** Writes bytes directly, without the HTTP encoder, for requests that the caller encodes. */
        void write(ByteBuf bytes) {
            channel.pipeline().context(HttpClientCodec.class).writeAndFlush(bytes);
        }

        /** Writes text directly, without the HTTP encoder. */
        void write(String text) {
            write(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
        }

        void later(Runnable task, long delayMs) {
            channel.eventLoop().schedule(task, delayMs, TimeUnit.MILLISECONDS);
        }

        void close() {
            channel.close();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
                listener.connected(this);
            }
            context.fireUserEventTriggered(event);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            if (response.decoderResult().isFailure()) {
                failure = String.valueOf(response.decoderResult().cause());
                context.close();
                return;
            }
            byte[] body = new byte[response.content().readableBytes()];
            response.content().readBytes(body);
            listener.answered(response.status().code(), body);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            listener.lost(failure);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failure = cause.toString();
            context.close();
        }
    }
}
