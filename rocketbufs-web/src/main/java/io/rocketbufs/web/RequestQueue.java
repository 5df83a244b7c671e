package io.rocketbufs.web;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * A queue of the requests on one connection. Requests are answered one after another, so at most one response waits for
 * a client that does not read. The queue is intended for servers whose requests have no content. It refuses invalid
 * requests.
 *
 * <p><b>Thread-safety:</b> confined to the connection's thread.
 */
public final class RequestQueue {
    private static final int MAX_WAITING = 64;

    private final List<HttpMethod> methods;
    private final BiConsumer<ChannelHandlerContext, HttpRequest> answerer;
    private final Deque<HttpRequest> waiting = new ArrayDeque<>();
    private boolean serving;
    private boolean busy;
    private boolean closing;

    /**
     * Creates a queue that passes valid requests with one of the given methods to {@code answerer}.
     *
     * @param answerer starts the response to a request. It must call {@link #send} or {@link #endWhen}, or call
     *     {@link #begin} and later {@link #send}, {@link #endWhen} or {@link #end}
     */
    public RequestQueue(List<HttpMethod> methods, BiConsumer<ChannelHandlerContext, HttpRequest> answerer) {
        this.methods = methods;
        this.answerer = answerer;
    }

    /** Handles a received message, and takes ownership of it. */
    public void take(ChannelHandlerContext context, Object message) {
        try {
            // Requests have no content, so a request can be answered when its header has arrived.
            if (message instanceof HttpRequest request && !closing) {
                waiting.add(request);
                serve(context);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void serve(ChannelHandlerContext context) {
        if (serving) {
            return;
        }
        serving = true;
        while (!busy && !closing && !waiting.isEmpty() && context.channel().isActive()) {
            answer(context, waiting.remove());
        }
        serving = false;
        if (closing) {
            waiting.clear();
            return;
        }
        if (waiting.size() > MAX_WAITING) {
            context.close();
        }
        // No more requests are read until the response has been written.
        context.channel().config().setAutoRead(!busy);
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
        Page refusal = RequestCheck.refusal(request);
        boolean isKnownMethod = methods.contains(request.method());
        if (refusal == null && RequestCheck.hasContent(request)) {
            refusal = isKnownMethod ? Page.text(400, "the request must not have content") : notAllowed();
        }
        if (refusal != null) {
            refuse(context, request, refusal);
        } else if (isKnownMethod) {
            answerer.accept(context, request);
        } else {
            send(context, request, notAllowed());
        }
    }

    private Page notAllowed() {
        return Page.notAllowed(allowed());
    }

    /** Returns the allowed methods in the format of the {@code Allow} header. */
    public String allowed() {
        return methods.stream().map(HttpMethod::name).collect(Collectors.joining(", "));
    }

    /**
     * Responds to an invalid request. Closes the connection after a delay in which the client can read the response.
     */
    public void refuse(ChannelHandlerContext context, HttpRequest request, Page page) {
        closing = true;
        LingeringClose.after(context, HttpReplies.send(context, request, page, true));
    }

    /** Responds to a request with a page. The next request waits until the page has been written to the socket. */
    public void send(ChannelHandlerContext context, HttpRequest request, Page page) {
        endWhen(context, request, HttpReplies.send(context, request, page, false));
    }

    /** Delays the next request until the response has been written. */
    public void endWhen(ChannelHandlerContext context, HttpRequest request, ChannelFuture written) {
        begin();
        written.addListener(done -> end(context, request));
    }

    /** Delays the next request until {@link #end} is called. */
    public void begin() {
        busy = true;
    }

    /** Continues with the next request, or closes the connection if the given request asks for it. */
    public void end(ChannelHandlerContext context, HttpRequest request) {
        busy = false;
        if (HttpUtil.isKeepAlive(request)) {
            serve(context);
        } else {
            context.close();
        }
    }
}
