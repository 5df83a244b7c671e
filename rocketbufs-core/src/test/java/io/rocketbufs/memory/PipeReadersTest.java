package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Type;
import io.rocketbufs.memory.PipeReaders.State;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
@Tag("once")
final class PipeReadersTest {
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int SHORT_MS = 10;
    private static final int LONG_MS = 30_000;

    @Test
    void shouldFindThatThePipeHasNoReaderWhenItsReaderEnds() throws Exception {
        // The reader closes its input but keeps running: if the reader exited, Java would close this end of the pipe.
        Process reader = new ProcessBuilder("sh", "-c", "read line; exec 0<&-; exec sleep 60").start();
        try (OutputStream toReader = reader.getOutputStream()) {
            PipeReaders readers = PipeReaders.of(descriptorOfPipeTo(reader));
            assertThat(readers.awaitNone(SHORT_MS)).isEqualTo(State.PRESENT);
            toReader.write('\n');
            toReader.flush();
            assertThat(readers.awaitNone(LONG_MS)).isEqualTo(State.GONE);
        } finally {
            reader.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldFindThatTheSocketHasNoPeerWhenThePeerClosesIt() {
        int[] pair = socketPair();
        try {
            PipeReaders readers = PipeReaders.of(pair[0]);
            assertThat(readers.awaitNone(SHORT_MS)).isEqualTo(State.PRESENT);
            close(pair[1]);
            assertThat(readers.awaitNone(LONG_MS)).isEqualTo(State.GONE);
        } finally {
            close(pair[0]);
        }
    }

    @Test
    void shouldReportThatAClosedDescriptorCannotBeObserved() {
        assertThat(PipeReaders.of(Integer.MAX_VALUE).awaitNone(LONG_MS)).isEqualTo(State.UNKNOWN);
    }

    @Test
    void shouldIgnoreADescriptorThatIsNoPipe() throws IOException {
        Path file = Files.createTempFile("no-pipe", null);
        try (FileOutputStream out = new FileOutputStream(file.toFile())) {
            out.write(1);
            assertThat(PipeReaders.of(descriptorOf(file.toString())).awaitNone(SHORT_MS))
                    .isEqualTo(State.PRESENT);
        } finally {
            Files.delete(file);
        }
    }

    /** Returns the descriptors of a pair of connected sockets. */
    private static int[] socketPair() {
        MemoryIO memory = MemoryIO.getInstance();
        long pair = memory.allocateMemory(2 * Integer.BYTES, true);
        try {
            assertThat((int) call("socketpair", AF_UNIX, SOCK_STREAM, 0, pair)).isZero();
            return new int[] {memory.getInt(pair), memory.getInt(pair + Integer.BYTES)};
        } finally {
            memory.freeMemory(pair);
        }
    }

    private static void close(int descriptor) {
        assertThat((int) call("close", descriptor, 0, 0, 0)).isZero();
    }

    private static long call(String function, long first, long second, long third, long fourth) {
        Type[] parameters = {Type.SINT64, Type.SINT64, Type.SINT64, Type.SINT64};
        CallContext context = CallContext.getCallContext(Type.SINT32, parameters, CallingConvention.DEFAULT, true);
        long address = Library.getDefault().getSymbolAddress(function);
        return Invoker.getInstance().invokeN4(context, address, first, second, third, fourth);
    }

    /** Returns this process's descriptor of the pipe from which another process reads its standard input. */
    private static int descriptorOfPipeTo(Process process) throws IOException {
        String pipe = Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/fd/0"))
                .toString();
        return descriptorOf(pipe);
    }

    private static int descriptorOf(String target) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(each -> target(each).equals(target))
                    .mapToInt(each -> Integer.parseInt(each.getFileName().toString()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
