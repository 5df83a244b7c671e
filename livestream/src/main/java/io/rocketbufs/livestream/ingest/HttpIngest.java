package io.rocketbufs.livestream.ingest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.rocketbufs.livestream.page.OperatorPages;
import io.rocketbufs.livestream.relay.RelayPages;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.web.ConnectionFailures;
import io.rocketbufs.web.HttpReplies;
import io.rocketbufs.web.LingeringClose;
import io.rocketbufs.web.OperatorAccess;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.PageRequest;
import io.rocketbufs.web.PageThreads;
import io.rocketbufs.web.RequestCheck;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler of the HTTP connection of a source, or of a client that reads the relay's pages.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
final class HttpIngest extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(HttpIngest.class);

    private final IngestTargets targets;
    private final RelayPages pages;
    private final OperatorPages operators;
    private final PageThreads pageThreads;
    private final OperatorAccess access;
    private final Backlog backlog = new Backlog(this::take);
    private ChannelHandlerContext context;
    private HttpRequest request;
    private Body body;
    private boolean refused;

    HttpIngest(
            IngestTargets targets,
            RelayPages pages,
            OperatorPages operators,
            PageThreads pageThreads,
            OperatorAccess access) {
        this.targets = targets;
        this.pages = pages;
        this.operators = operators;
        this.pageThreads = pageThreads;
        this.access = access;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        backlog.add(context, message);
    }

    private boolean take(Object message) {
        if (refused) {
            return true;
        }
        try {
            if (message instanceof HttpRequest head) {
                begin(head);
            } else if (((HttpObject) message).decoderResult().isFailure()) {
                // The HTTP chunked encoding of the body is malformed.
                throw new IngestRefusal(400, "malformed HTTP request");
            }
            return !(message instanceof HttpContent content) || takeContent(content);
        } catch (IngestRefusal e) {
            refuse(e);
            return true;
        }
    }

    private void begin(HttpRequest head) {
        request = head;
        HttpMethod method = head.method();
        Page wrong = RequestCheck.refusal(head);
        if (wrong != null) {
            throw new IngestRefusal(wrong.status(), new String(wrong.body(), StandardCharsets.UTF_8).strip());
        }
        if (isRead()) {
            if (RequestCheck.hasContent(head)) {
                throw new IngestRefusal(400, "a GET or HEAD request must not have content");
            }
            return;
        }
        InetSocketAddress peer = (InetSocketAddress) context.channel().remoteAddress();
        body = targets.bodyFor(
                method, head.uri(), head.headers(), peer.getAddress().getHostAddress());
        if (HttpUtil.is100ContinueExpected(head)) {
            context.writeAndFlush(new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
    }

    private boolean takeContent(HttpContent content) {
        ByteBuf bytes = content.content();
        if (body == null && bytes.isReadable()) {
            throw new IngestRefusal(400, "a DELETE request must not have content");
        }
        if (bytes.isReadable()) {
            if (!body.take(bytes)) {
                return false;
            }
            bytes.skipBytes(bytes.readableBytes());
        }
        return !(content instanceof LastHttpContent) || end();
    }

    private boolean end() {
        if (body == null && isRead()) {
            answerWithPage();
            return true;
        }
        if (body == null) {
            answer(Page.text(200, "gone"));
            return true;
        }
        if (!body.end()) {
            return false;
        }
        body = null;
        answer(Page.text(200, "taken"));
        return true;
    }

    private void answerWithPage() {
        String path = path();
        Page refusal = access.refusal(path, request, context.channel().remoteAddress());
        if (refusal != null) {
            answer(refusal);
            return;
        }
        if (OperatorPages.isAt(path)) {
            // Not null, because the access control has already refused malformed URLs.
            PageRequest asked = PageRequest.of(request);
            backlog.pause();
            pageThreads.make(context, () -> operators.page(asked), this::answerAndResume);
        } else if (pages.isHealth(path)) {
            backlog.pause();
            pageThreads.makeLater(context, () -> pages.health(path), this::answerAndResume);
        } else {
            answer(pages.page(path));
        }
    }

    private void answerAndResume(Page page) {
        HttpReplies.send(context, request, page, false).addListener(done -> backlog.resume(context));
    }

    /**
     * Sends a response. The next request is handled only after the response has been written to the socket, so
     * responses cannot accumulate if the client does not read them.
     */
    private void answer(Page page) {
        ChannelFuture written = HttpReplies.send(context, request, page, false);
        if (!written.isDone()) {
            backlog.pause();
            written.addListener(done -> backlog.resume(context));
        }
    }

    private boolean isRead() {
        return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    }

    private String path() {
        return request.uri().split("\\?", 2)[0];
    }

    private void refuse(IngestRefusal refusal) {
        refused = true;
        targets.countRefusal(body, refusal);
        if (body != null) {
            body.abort();
            body = null;
        }
        LOG.warn(
                "Refused {} from {}: {}", path(), HostPort.of(context.channel().remoteAddress()), refusal.getMessage());
        Page page = refusal.status() == 405
                ? Page.notAllowed("GET, HEAD, PUT, POST, DELETE")
                : Page.text(refusal.status(), refusal.getMessage());
        LingeringClose.after(context, HttpReplies.send(context, request, page, true));
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        // ffmpeg closes the connection without waiting for the response. At that point, the data of its file may still
        // be queued behind an incomplete previous file.
        backlog.closeWhenDrained(this::cutOff);
        inactive.fireChannelInactive();
    }

    private void cutOff() {
        if (body != null) {
            body.abort();
            body = null;
            LOG.info(
                    "Source {} was cut off in the middle of {}",
                    HostPort.of(context.channel().remoteAddress()),
                    path());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext told, Object event) {
        if (event instanceof IdleStateEvent) {
            told.close();
        }
        told.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        ConnectionFailures.close(failed, cause, LOG);
    }
}
