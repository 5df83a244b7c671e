package io.rocketbufs.rocketnet.tcp;

import java.nio.ByteBuffer;

/** A position and limit of our own in a window, made anew only when the window is another than last time. */
final class NioView {
    private ByteBuffer window;
    private ByteBuffer view;

    /** The view with its position and limit around this range. */
    ByteBuffer of(ByteBuffer window, int offset, int length) {
        if (window != this.window) {
            this.window = window;
            view = window.duplicate();
        }
        return view.limit(offset + length).position(offset);
    }
}
