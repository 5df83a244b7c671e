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
 * The requests of one connection, which are answered one after the other, so that at most one answer waits for a client
 * that does not read. For servers whose requests have no content. Invalid requests are refused here.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
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
     * Passes on valid requests with one of the methods.
     *
     * @param answerer begins to answer a request; it calls {@link #send} or {@link #endWhen}, or {@link #begin} and
     *     later one of these or {@link #end}
     */
    public RequestQueue(List<HttpMethod> methods, BiConsumer<ChannelHandlerContext, HttpRequest> answerer) {
        this.methods = methods;
        this.answerer = answerer;
    }

    /** Takes over a message that has arrived. */
    public void take(ChannelHandlerContext context, Object message) {
        try {
            // Requests have no content, so a request is answered when its header has arrived.
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
        // Further requests are read when the client has received the answer.
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

    /** Returns the methods as the header {@code Allow} has them. */
    public String allowed() {
        return methods.stream().map(HttpMethod::name).collect(Collectors.joining(", "));
    }

    /** Answers an invalid request; the connection closes when the client has had time to read the answer. */
    public void refuse(ChannelHandlerContext context, HttpRequest request, Page page) {
        closing = true;
        LingeringClose.after(context, HttpReplies.send(context, request, page, true));
    }

    /** Answers a request with a page; the next request waits until it is in the socket. */
    public void send(ChannelHandlerContext context, HttpRequest request, Page page) {
        endWhen(context, request, HttpReplies.send(context, request, page, false));
    }

    /** Lets the next request wait until the answer has been written. */
    public void endWhen(ChannelHandlerContext context, HttpRequest request, ChannelFuture written) {
        begin();
        written.addListener(done -> end(context, request));
    }

    /** Lets the next request wait until {@link #end}. */
    public void begin() {
        busy = true;
    }

    /** Continues with the next request, or closes the connection if the last one asked for that. */
    public void end(ChannelHandlerContext context, HttpRequest request) {
        busy = false;
        if (HttpUtil.isKeepAlive(request)) {
            serve(context);
        } else {
            context.close();
        }
    }
}
