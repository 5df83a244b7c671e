package io.rocketbufs.process;

import java.io.IOException;

/** A daemon thread that uses sockets and ends when one of them is closed. */
public final class SocketThread {
    /** The thread's task. */
    public interface Task {
        /** Runs until one of the sockets is closed. */
        void run() throws IOException;
    }

    private SocketThread() {}

    /** Starts a thread. */
    public static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // A socket was closed, or its peer has closed the connection.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }
}
