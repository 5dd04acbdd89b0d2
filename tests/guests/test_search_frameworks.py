"""Real retrievers of LangChain, LlamaIndex and Haystack as systems, held against our own search of the same vectors."""

import asyncio
import json
import os

import numpy as np
import pytest
from tests.front import evenhand as cli
from tests.hashed import same, vector
from tests.hashed import world as world_of
from tests.miniature import STUDY, make

from evenhand.errors import InputError, Unreachable
from evenhand.retrieve.search import retrieve

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")  # the frameworks' own


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frameworks") / "s"
    make(folder)
    return world_of(folder)


@pytest.fixture(scope="module")
def world(made):
    return made[:3]


@pytest.fixture(scope="module")
def expected(made):
    """Our own exact search of the same vectors."""
    return made[3]


def langchain_store(units, *, ids=True, places=True):
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Ours(Embeddings):
        def embed_documents(self, texts):
            return [vector(text) for text in texts]

        def embed_query(self, text):
            return vector(text)

    store = InMemoryVectorStore(Ours())
    store.add_texts(
        [u.text for u in units],
        metadatas=[{"source": f"/srv/docs/{u.doc}", "start_index": u.start} if places else {} for u in units],
        ids=[u.id for u in units] if ids else None,
    )
    return store


def llama_nodes(units):
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

    return [
        TextNode(
            text=u.text,
            start_char_idx=u.start,
            end_char_idx=u.end,
            metadata={"file_path": f"/srv/docs/{u.doc}"},
            embedding=vector(u.text),
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"src-{u.doc}")},
        )
        for u in units
    ]


def llama_index(units):
    from llama_index.core import VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding

    class Ours(BaseEmbedding):
        def _get_text_embedding(self, text):
            return vector(text)

        def _get_query_embedding(self, query):
            return vector(query)

        async def _aget_query_embedding(self, query):
            return vector(query)

    return VectorStoreIndex(nodes=llama_nodes(units), embed_model=Ours())


def haystack_store(units):
    from haystack import Document
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(
        [
            Document(
                content=u.text,
                meta={"file_path": f"docs/{u.doc}", "split_idx_start": u.start},
                embedding=vector(u.text),
            )
            for u in units
        ]
    )
    return store


def haystack_embedder():
    from haystack import component

    @component
    class Embedder:
        @component.output_types(embedding=list[float])
        def run(self, text: str):
            return {"embedding": vector(text)}

    return Embedder()


def haystack_pipeline(units, **more):
    from haystack import Pipeline
    from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever

    pipeline = Pipeline()
    pipeline.add_component("embed", haystack_embedder())
    pipeline.add_component("retrieve", InMemoryEmbeddingRetriever(haystack_store(units), **more))
    pipeline.connect("embed.embedding", "retrieve.query_embedding")
    return pipeline


@pytest.mark.parametrize("form", ["retriever", "store", "without ids", "text alone"])
def test_langchain_ranks_as_our_exact_search_does(world, expected, form):
    _, gold, units = world
    store = langchain_store(units, ids=form in {"retriever", "store"}, places=form != "text alone")
    run = retrieve(store if form == "store" else store.as_retriever(), units, gold, depth=10)
    same(run, expected)
    assert run.provenance["framework"] == "LangChain"
    assert run.provenance["package"].startswith("langchain-core ")
    assert run.provenance["depth_asked_by"] == "k"
    assert "unresolved" not in run.notes
    if form == "store":
        assert np.allclose(run.score, expected.score, atol=1e-5)


def test_a_retriever_of_a_given_depth_is_asked_for_ours_and_stays_as_it_was(world):
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    _, gold, units = world
    texts = [Document(page_content=u.text) for u in units]

    class First(BaseRetriever):
        k: int = 2

        def _get_relevant_documents(self, query, *, run_manager):
            return texts[: self.k]

    mine = First()
    run = retrieve(mine, units, gold, depth=7)
    assert {len(run.ranking(q)) for q in run.questions} == {7}
    assert mine.k == 2
    assert run.provenance["depth_asked_by"] == "k"

    class Fixed(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return texts[:3]

    run = retrieve(Fixed(), units, gold, depth=7)
    assert run.notes["fewer_than_asked"] == len(gold)
    assert run.provenance["depth_asked_by"] == "not asked: its own"
    run = retrieve(Fixed(), units, gold, depth=2)
    assert run.notes["beyond_depth"] == len(gold)


def test_a_langchain_retriever_that_is_only_asynchronous_is_asked_on_one_loop(world, expected):
    from langchain_core.retrievers import BaseRetriever

    _, gold, units = world
    store = langchain_store(units)
    loops = set()

    class Later(BaseRetriever):
        k: int = 4

        def _get_relevant_documents(self, query, *, run_manager):
            raise NotImplementedError

        async def _aget_relevant_documents(self, query, *, run_manager):
            loops.add(id(asyncio.get_running_loop()))
            await asyncio.sleep(0)
            return await store.asimilarity_search(query, k=self.k)

    same(retrieve(Later(), units, gold, depth=10), expected)
    assert len(loops) == 1

    async def inside():  # as in a notebook, where a loop runs already
        return retrieve(Later(), units, gold, depth=10)

    same(asyncio.run(inside()), expected)


def test_a_chain_that_ends_with_documents_is_a_system(world, expected):
    from langchain_core.runnables import RunnableLambda

    _, gold, units = world
    chain = RunnableLambda(lambda q: q.strip()) | langchain_store(units).as_retriever(search_kwargs={"k": 10})
    run = retrieve(chain, units, gold, depth=10)
    same(run, expected)
    assert run.provenance["depth_asked_by"] == "not asked: its own"
    with pytest.raises(InputError, match="answered with str"):
        retrieve(RunnableLambda(lambda q: q), units, gold)


def test_what_a_langchain_retriever_raises_is_not_run_for_that_question(world):
    _, gold, units = world
    store = langchain_store(units)
    questions = {str(q.id): q.text for q in gold}
    bad = list(questions)[3]
    inner = store.similarity_search

    def fails(query, **more):
        if query == questions[bad]:
            raise ValueError("no such thing")
        return inner(query, **more)

    object.__setattr__(store, "similarity_search", fails)
    run = retrieve(store.as_retriever(), units, gold, depth=5)
    assert dict(run.not_run) == {bad: "ValueError"}

    def broken(query, **more):
        raise ValueError("no such thing")

    object.__setattr__(store, "similarity_search", broken)
    with pytest.raises(Unreachable, match="of LangChain failed: ValueError: no such thing"):
        retrieve(store.as_retriever(), units, gold, depth=5)


def test_distances_of_a_vector_store_are_turned_round(world, expected):
    from langchain_core.vectorstores import InMemoryVectorStore

    _, gold, units = world
    inner = langchain_store(units)

    class Far(InMemoryVectorStore):
        def similarity_search_with_score(self, query, k=4, **more):
            return [(d, 1.0 - s) for d, s in inner.similarity_search_with_score(query, k=k)]

    run = retrieve(Far(inner.embedding), units, gold, depth=10)
    same(run, expected)
    assert run.notes["distances"] == len(gold)
    assert np.allclose(run.score, expected.score - 1.0, atol=1e-5)


@pytest.mark.parametrize("form", ["index", "retriever", "engine"])
def test_llama_index_ranks_as_our_exact_search_does(world, expected, form):
    _, gold, units = world
    index = llama_index(units)
    if form == "engine":
        from llama_index.core.llms import MockLLM

        thing = index.as_query_engine(llm=MockLLM())
    else:
        thing = index.as_retriever() if form == "retriever" else index
    run = retrieve(thing, units, gold, depth=10)
    same(run, expected)
    assert np.allclose(run.score, expected.score, atol=1e-5)
    assert run.provenance["depth_asked_by"] == "similarity_top_k"
    if form == "retriever":
        assert thing.similarity_top_k == 2


def test_a_query_engine_is_measured_with_its_postprocessors(world, expected):
    from llama_index.core.llms import MockLLM
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

    _, gold, units = world
    asked = []

    class Reverse(BaseNodePostprocessor):
        def _postprocess_nodes(self, nodes, query_bundle=None):
            asked.append(query_bundle.query_str)
            return nodes[::-1]

    engine = llama_index(units).as_query_engine(
        llm=MockLLM(), similarity_top_k=4, node_postprocessors=[Reverse()]
    )
    run = retrieve(engine, units, gold, depth=10)
    for q in gold:
        name = str(q.id)
        want = [h.unit for h in expected.ranking(name, 4)]
        assert sorted(h.unit for h in run.ranking(name)) == sorted(want)
    assert asked == [q.text for q in gold]
    assert run.notes["fewer_than_asked"] == len(gold)


def test_a_llama_retriever_that_is_only_asynchronous(world, expected):
    from llama_index.core.retrievers import BaseRetriever

    _, gold, units = world
    inner = llama_index(units).as_retriever(similarity_top_k=10)

    class Later(BaseRetriever):
        def _retrieve(self, query_bundle):
            raise NotImplementedError

        async def _aretrieve(self, query_bundle):
            return await inner.aretrieve(query_bundle)

    same(retrieve(Later(), units, gold, depth=10), expected)


def test_haystack_pipelines_and_components_rank_as_our_exact_search_does(world, expected):
    from haystack.components.retrievers import TextEmbeddingRetriever
    from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever

    _, gold, units = world
    run = retrieve(haystack_pipeline(units), units, gold, depth=10)
    same(run, expected)
    assert run.provenance["depth_asked_by"] == "retrieve.top_k"
    assert np.allclose(run.score, expected.score, atol=1e-5)
    made = TextEmbeddingRetriever(
        retriever=InMemoryEmbeddingRetriever(haystack_store(units)), text_embedder=haystack_embedder()
    )
    run = retrieve(made, units, gold, depth=10)
    same(run, expected)
    assert run.provenance["depth_asked_by"] == "top_k"


def test_haystack_bm25_component_is_asked_for_top_k(world):
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever

    _, gold, units = world
    run = retrieve(InMemoryBM25Retriever(haystack_store(units), top_k=2), units, gold, depth=10)
    assert max(len(run.ranking(q)) for q in run.questions) == 10
    assert "unresolved" not in run.notes


def test_haystack_ranker_gets_the_candidates_it_gets_in_use(world):
    from haystack import Document, Pipeline, component
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever

    _, gold, units = world
    seen = []

    @component
    class Ranker:
        @component.output_types(documents=list[Document])
        def run(self, query: str, documents: list[Document], top_k: int = 3):
            seen.append((len(documents), top_k))
            return {"documents": documents[:top_k]}

    pipeline = Pipeline()
    pipeline.add_component("retrieve", InMemoryBM25Retriever(haystack_store(units), top_k=6))
    pipeline.add_component("rank", Ranker())
    pipeline.connect("retrieve.documents", "rank.documents")
    run = retrieve(pipeline, units, gold, depth=10)
    assert set(seen) == {(6, 10)}
    assert run.provenance["depth_asked_by"] == "rank.top_k"
    assert run.notes["fewer_than_asked"] == len(gold)


def test_haystack_parts_that_take_no_question_are_refused_with_a_mend(world):
    from haystack import Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever

    _, gold, units = world
    store = haystack_store(units)
    with pytest.raises(InputError, match="needs query_embedding") as told:
        retrieve(InMemoryEmbeddingRetriever(store), units, gold)
    assert "text embedder connected to this retriever" in told.value.mend
    two = Pipeline()
    two.add_component("a", InMemoryBM25Retriever(store))
    two.add_component("b", InMemoryBM25Retriever(store))
    with pytest.raises(InputError, match=r"2 outputs of documents: a.documents, b.documents"):
        retrieve(two, units, gold)
    two.add_component("join", DocumentJoiner())
    two.connect("a.documents", "join.documents")
    two.connect("b.documents", "join.documents")
    assert len(retrieve(two, units, gold, depth=5).ranking("q00")) == 5
    alone = Pipeline()
    alone.add_component("a", InMemoryEmbeddingRetriever(store))
    with pytest.raises(InputError, match=r"needs a.query_embedding"):
        retrieve(alone, units, gold)


SYSTEMS = """\
[system.lc]
retriever = "python:theirs:langchain"
[system.li]
retriever = "python:theirs:llama"
[system.hs]
retriever = "python:theirs:haystack"
size = 160
"""
MODULE = """\
from pathlib import Path

import evenhand as eh
from tests.guests import test_search_frameworks as made

def units(size=160):
    return eh.chunk(eh.read_corpus(Path(__file__).parent / "docs"), eh.Sentences(size=size))

langchain = made.langchain_store(units(), ids=False).as_retriever()

def llama():
    return made.llama_index(units()).as_retriever()

def haystack(*, size):
    return made.haystack_pipeline(units(size))
"""


def test_one_line_of_a_study_file_is_enough(tmp_path):
    small = STUDY[: STUDY.index("[system.tfidf]")] + SYSTEMS + STUDY[STUDY.index("[measure]") :]
    study = make(tmp_path / "s", study=small.replace("500", "100"))
    (study.parent / "theirs.py").write_text(MODULE)
    done = cli("run", study)
    assert done.returncode == 0, done.stderr
    report = json.loads((study.parent / "results" / "report.json").read_text())
    points = {e["system"]: e["point"] for e in report["estimates"] if e["metric"] == "NuggetRecall@5"}
    assert points["lc"] == points["li"] == points["hs"]
    assert {"lc", "li", "hs"} <= points.keys()
